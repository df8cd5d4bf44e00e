// SPDX-License-Identifier: BSL-1.0
// The sessions of a line, and the locks through which its waiters join it.
#pragma once

#include "bare_client.hpp"
#include "line_watch.hpp"
#include "lock_choice.hpp"
#include "target.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::bench {

/// `Lock` is a strategy, or a kind of Turnstile's locks.
template <class Lock>
class waiting_line {
public:
    using session_list = std::vector<std::unique_ptr<typename Lock::session_type>>;
    using lock_list = std::vector<std::unique_ptr<Lock>>;

    waiting_line(boost::asio::io_context& context, const target& server, const lock_choice& choice,
                 std::size_t sessions)
        : context_(context), choice_(choice) {
        for (std::size_t i = 0; i < sessions; ++i) {
            sessions_.push_back(Lock::open(context_, server, i));
            locks_.push_back(std::make_unique<Lock>(*sessions_.back(), path_, choice));
            asides_.push_back(std::make_unique<Lock>(*sessions_.back(), aside_path(i), choice));
        }
    }

    const std::string& path() const { return path_; }
    session_list& sessions() { return sessions_; }
    lock_list& locks() { return locks_; }
    std::size_t size() const { return sessions_.size(); }

    boost::asio::awaitable<void> connect() {
        for (const auto& each : sessions_)
            co_await each->connect();
    }
    boost::asio::awaitable<void> close() {
        for (const auto& each : sessions_)
            co_await each->close();
    }

    // Takes and releases a lock in each session, of this path or of a path of its own.
    boost::asio::awaitable<void> use_locks() { return use_each(locks_); }
    boost::asio::awaitable<void> use_asides() { return use_each(asides_); }

    /// Before the first one joins.
    void begin() { tickets_of_.assign(sessions_.size(), 0); }
    /// Until the ticket stands that was just asked for in this session, which are so many then.
    /// False where the session has all the tickets that it may have: the acquire waits in the
    /// process until one of them leaves.
    boost::asio::awaitable<bool> joins(std::size_t in_session, std::size_t tickets,
                                       line_watch& watch) {
        if (tickets_of_[in_session] < perhaps_all) {
            co_await watch.joined(tickets);
        } else {
            co_await boost::asio::post(context_, boost::asio::deferred); // lets the acquire begin
            co_await use(*asides_[in_session]); // answered after its ticket
            if (watch.standing() < tickets)
                co_return false;
        }
        ++tickets_of_[in_session];
        co_return true;
    }

    /// At the end: what the locks leave at the server.
    void delete_kept_nodes(bare_client& eyes) const {
        auto paths = Lock::kept_nodes(path_);
        for (std::size_t i = 0; i < asides_.size(); ++i)
            for (auto& each : Lock::kept_nodes(aside_path(i)))
                paths.push_back(std::move(each));
        for (const auto& each : paths)
            eyes.remove(each);
    }

private:
    /// Tickets of one session, from which on these may be all that it may have: half of them.
    static constexpr std::size_t perhaps_all = 4000;

    std::string aside_path(std::size_t in_session) const {
        return path_of("wakeup-aside", choice_) + "-" + std::to_string(in_session);
    }
    static boost::asio::awaitable<void> use(Lock& lock) {
        auto taken = co_await lock.acquire();
        co_await taken.release();
    }
    static boost::asio::awaitable<void> use_each(const lock_list& locks) {
        for (const auto& each : locks)
            co_await use(*each);
    }

    boost::asio::io_context& context_;
    const lock_choice choice_;
    const std::string path_ = path_of("wakeup", choice_);
    session_list sessions_;
    lock_list locks_;
    lock_list asides_;
    std::vector<std::size_t> tickets_of_; // of each session
};

} // namespace turnstile::bench
