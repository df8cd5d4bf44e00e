// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "worker_setting.hpp"

#include <turnstile.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace turnstile::chaos {

namespace asio = boost::asio;

inline constexpr auto with_code = asio::as_tuple(asio::use_awaitable);

/// Observes one election, in a worker. It ends at a leader that is another program's: outside_hand
/// leads all elections when no contender is left. The worker runs it as a coroutine, and then has
/// it tell what it saw.
class observer {
public:
    observer(worker_setting& setting, session& owner, const lock_choice& lock)
        : setting_{setting},
          id_{++setting.last_id},
          election_{owner, lock.path()},
          timer_{owner.get_executor()} {}
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;

    asio::awaitable<void> run() {
        for (;;) {
            const auto [failure, leader] = co_await election_.observe(known_, with_code);
            if (failure == error::session_closed)
                co_return;
            if (failure) {
                timer_.expires_after(std::chrono::milliseconds{50});
                co_await timer_.async_wait(with_code);
                continue;
            }
            known_ = leader;
            if (!leader)
                continue;
            went_back_ += leader.fencing_token < newest_ ? 1 : 0;
            newest_ = std::max(newest_, leader.fencing_token);
            if (leader.host.empty()) // it is another program's
                co_return;
        }
    }

    /// Writes into the history which leader it saw last.
    void tell() const { setting_.book.observed(id_, election_.path(), known_, went_back_); }

private:
    worker_setting& setting_;
    const std::uint64_t id_; // among the worker's acquires, which have ids, too
    election election_;
    boost::asio::steady_timer timer_;
    leader_info known_{};       // the leader that it was told last
    fencing_token newest_{};    // the largest token of all leaders so far
    std::size_t went_back_ = 0; // how often a leader had a smaller token: must not happen
};

} // namespace turnstile::chaos
