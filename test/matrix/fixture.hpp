// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "cell.hpp"
#include "participant.hpp"
#include "server_set.hpp"

#include "support/dice.hpp"
#include "support/frame_proxy.hpp"
#include "support/onlooker.hpp"
#include "support/pch.hpp"
#include "support/session_book.hpp"
#include "support/tls_front.hpp"

namespace turnstile::matrix {

/// What one cell runs on: a lock path of its own, one unlucky session that reaches each server
/// through a proxy, and two others without. All of it belongs to one thread.
class fixture {
public:
    using predicate = std::function<bool()>;
    fixture(const server_set& where, const cell& what, std::uint64_t seed);
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;

    /// Longer than anything may take.
    [[nodiscard]] std::chrono::seconds patience() const {
        return where.slower * std::chrono::seconds{20};
    }
    /// Runs until it is so. Throws std::runtime_error with `text` in it if it takes too long.
    void until(std::string_view text, const predicate& so) { until(text, so, patience()); }
    void until(std::string_view text, const predicate& so, std::chrono::milliseconds limit);
    /// The same of something that is to be asked of a server.
    void until_seen(std::string_view text, predicate so);

    /// Nodes of those who wait or hold; those of one session.
    [[nodiscard]] std::size_t standing();
    [[nodiscard]] std::vector<test::node_info> nodes_of(std::int64_t session);
    [[nodiscard]] std::vector<test::node_info> nodes_of(const participant& who);
    /// A foreign client makes a node, if it is not there.
    void make(const std::string& node);
    /// Whether a session waits, as a server shows it.
    [[nodiscard]] bool waits(std::int64_t session);
    /// Whether a server shows watches of a session.
    [[nodiscard]] bool watches(std::int64_t session);
    /// Watches that belong to somebody who waits or holds. (Those on nodes that stay may stay.)
    [[nodiscard]] std::size_t watches();

    /// Until the ensemble has ended the session.
    void until_over(std::int64_t session);
    /// The longest that this thread did not look at its context, on a slow machine say.
    [[nodiscard]] std::chrono::steady_clock::duration longest_pause() const {
        return std::max(pause_, clock::now() - last_turn_);
    }

    /// Only these proxies let new connections through.
    void open_only(const std::vector<std::size_t>& servers);
    [[nodiscard]] test::frame_proxy& home_proxy() { return *proxies[home]; }
    [[nodiscard]] std::vector<std::size_t> other_servers() const;
    [[nodiscard]] std::vector<participant*> participants() { return {&first, &unlucky, &last}; }

    const server_set& where;
    const cell what;
    test::dice draws;
    const std::string path;
    const std::chrono::milliseconds timeout; ///< of the unlucky session
    const std::size_t home;                  ///< the server where it is when the fault comes
    boost::asio::io_context context;
    test::session_book sessions; ///< those of the unlucky one, also those that it never heard of
    std::vector<std::unique_ptr<test::frame_proxy>> proxies; ///< one for each server
    std::deque<test::tls_front> fronts; ///< the same, where the unlucky one speaks TLS
    test::onlooker eyes;
    test::journal book;
    participant first; ///< before the unlucky one in line, if anybody is
    participant unlucky;
    participant last; ///< behind it

private:
    using clock = std::chrono::steady_clock;

    [[nodiscard]] bool may_lose(const test::lock_user& who) const;
    [[nodiscard]] promises::loss what_is_known(const test::lock_user& who,
                                               const error_code& why) const;

    clock::time_point last_turn_ = clock::now();
    clock::duration pause_{0};
};

} // namespace turnstile::matrix
