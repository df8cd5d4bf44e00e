// SPDX-License-Identifier: BSL-1.0
#include "observer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace turnstile::chaos {

namespace asio = boost::asio;

namespace {

constexpr auto with_code = asio::as_tuple(asio::use_awaitable);

} // namespace

observer::observer(worker_setting& setting, session& owner, const lock_choice& lock)
    : setting_{setting},
      id_{++setting.last_id},
      election_{owner, lock.path()},
      timer_{owner.get_executor()} {}

asio::awaitable<void> observer::run() {
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

} // namespace turnstile::chaos
