// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "recent_log.hpp"
#include "support/pch.hpp"
#include "survive_options.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <list>

namespace turnstile::survive {

namespace asio = boost::asio;
using std::chrono::milliseconds;

inline constexpr auto no_throw = asio::as_tuple(asio::use_awaitable);

/// What holders went through.
struct findings {
    std::size_t lost = 0;           ///< locks, told by `lost`
    std::size_t at_risk = 0;        ///< how often a loss was near, told by `at_risk`
    std::size_t broken = 0;         ///< not held at the end, under another session, or not released
    std::size_t disconnections = 0; ///< how often a session was without a server
    std::size_t idle_harms = 0;     ///< kills, restarts and cuts that cost nobody a connection
    std::chrono::nanoseconds shortest_lease = std::chrono::hours{1}; ///< that was left at any time

    findings& operator+=(const findings& more) {
        lost += more.lost;
        at_risk += more.at_risk;
        broken += more.broken;
        disconnections += more.disconnections;
        idle_harms += more.idle_harms;
        shortest_lease = std::min(shortest_lease, more.shortest_lease);
        return *this;
    }
};

/// Sessions that hold one lock each, on a thread of their own. A lock that is lost is counted, and
/// taken again.
class holders {
public:
    holders(const survive_options& how, const std::string& servers) {
        for (std::size_t i = 0; i < how.holders; ++i) {
            auto& log = logs_.emplace_back();
            auto options = session_for(how, servers);
            options.log = {log_level::info,
                           [&log](log_level, std::string_view text) { log.note(text); }};
            auto& s = sessions_.emplace_back(context_, std::move(options));
            asio::co_spawn(context_, hold(s, "/survive/lock-" + std::to_string(i), log),
                           [this](std::exception_ptr failure) {
                               if (failure)
                                   failure_ = failure;
                           });
            asio::co_spawn(context_, count_disconnections(s), asio::detached);
        }
        thread_ = std::thread{[this] { context_.run(); }};
    }
    holders(const holders&) = delete;
    holders& operator=(const holders&) = delete;
    ~holders() {
        if (thread_.joinable()) {
            context_.stop();
            thread_.join();
        }
    }

    /// Throws std::runtime_error if not all hold their locks in time.
    void wait_until_all_hold(std::chrono::seconds limit) const {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (holding_ != sessions_.size()) {
            if (std::chrono::steady_clock::now() >= deadline) {
                throw std::runtime_error{"only " + std::to_string(holding_) + " of " +
                                         std::to_string(sessions_.size()) + " locks are held"};
            }
            // justified: the holders live on another thread
            std::this_thread::sleep_for(milliseconds{20});
        }
    }

    [[nodiscard]] std::size_t lost() const noexcept { return lost_; }
    [[nodiscard]] std::size_t disconnections() const noexcept { return disconnections_; }

    /// Waits until there are more than so many. False if there are not in time.
    [[nodiscard]] bool wait_for_disconnection(std::size_t after, std::chrono::seconds limit) const {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (disconnections_ <= after && std::chrono::steady_clock::now() < deadline) {
            // justified: the holders live on another thread
            std::this_thread::sleep_for(milliseconds{20});
        }
        return disconnections_ > after;
    }

    /// Has all of them release and close. Rethrows what failed them.
    [[nodiscard]] findings finish() {
        finish_ = true;
        work_.reset();
        thread_.join();
        if (failure_)
            std::rethrow_exception(failure_);
        found_.lost = lost_;
        found_.disconnections = disconnections_;
        return found_;
    }

private:
    boost::asio::awaitable<void> hold(session& s, std::string path, const recent_log& log) {
        mutex lock{s, path};
        asio::steady_timer timer{context_};
        while (!finish_) {
            auto held = co_await lock.acquire(asio::use_awaitable);
            const auto id = s.id();
            const auto lost = std::make_shared<bool>(false); // the news may come late
            held.wait_lost([this, lost, path, &log](const error_code& why) {
                if (why == condition::lock_lost) {
                    ++lost_;
                    *lost = true;
                    std::cerr << path << ": " << why.message() << '\n'
                              << log.text(recent_log::clock::now());
                }
            });
            held.wait_at_risk([this](const error_code& why) { found_.at_risk += why ? 0 : 1; });
            ++holding_;
            while (!finish_ && !*lost) {
                const std::chrono::nanoseconds left = held.deadline() - lease_clock::now();
                found_.shortest_lease = std::min(found_.shortest_lease, left);
                timer.expires_after(milliseconds{20});
                co_await timer.async_wait(no_throw);
            }
            --holding_;
            const bool whole = held.is_held() && s.id() == id;
            const auto [failure] = co_await held.release(no_throw);
            found_.broken += !*lost && (!whole || failure) ? 1 : 0;
        }
        co_await s.close(no_throw);
    }
    boost::asio::awaitable<void> count_disconnections(session& s) {
        auto known = s.state();
        for (;;) {
            error_code failure;
            std::tie(failure, known) = co_await s.wait_state_change(known, no_throw);
            if (failure)
                co_return;
            disconnections_ += known == session_state::suspended ? 1 : 0;
        }
    }

    boost::asio::io_context context_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        context_.get_executor()};
    std::list<recent_log> logs_;
    std::list<session> sessions_;
    std::atomic<std::size_t> holding_ = 0;
    std::atomic<std::size_t> lost_ = 0;
    std::atomic<std::size_t> disconnections_ = 0;
    std::atomic<bool> finish_ = false;
    findings found_;
    std::exception_ptr failure_;
    std::thread thread_;
};

} // namespace turnstile::survive
