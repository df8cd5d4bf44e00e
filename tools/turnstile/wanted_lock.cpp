// SPDX-License-Identifier: BSL-1.0
#include "wanted_lock.hpp"

#include <turnstile/lock_view.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

// A message about a lock is not worth a longer wait.
constexpr std::chrono::seconds answer_limit{1};

} // namespace

wanted_lock::wanted_lock(session& owner, const lock_wish& wish)
    : wish_(wish),
      line_(owner, wish.path),
      permits_(owner, wish.path),
      leaders_(owner, wish.path) {}

asio::awaitable<std::tuple<error_code, held_lock>>
wanted_lock::acquire(diagnostics& diag, asio::cancellation_slot stop,
                     lease_clock::time_point since) {
    auto token = with_diagnostics(
        diag, asio::bind_cancellation_slot(stop, asio::as_tuple(asio::use_awaitable)));
    auto lock = wish_.permits > 0 ? permits_.permits(wish_.permits)
                : wish_.value     ? leaders_.candidate(*wish_.value)
                : wish_.shared    ? line_.shared()
                                  : lock_view(line_);
    if (wish_.at_most)
        lock = lock.at_most(*wish_.at_most);
    const auto now = lease_clock::now();
    if (wish_.no_wait || (wish_.limit && since + *wish_.limit <= now))
        co_return co_await lock.try_acquire(token);
    if (wish_.limit)
        co_return co_await lock.acquire_for(since + *wish_.limit - now, token);
    co_return co_await lock.acquire(token);
}

asio::awaitable<std::vector<participant>> wanted_lock::list_participants(std::size_t most) {
    using namespace asio::experimental::awaitable_operators;
    const auto token = asio::as_tuple(asio::use_awaitable);
    asio::steady_timer limit(co_await asio::this_coro::executor, answer_limit);
    auto first = co_await (line_.list_participants(most, token) || limit.async_wait(token));
    if (first.index() == 1)
        co_return std::vector<participant>();
    co_return std::move(std::get<1>(std::get<0>(first)));
}

} // namespace turnstile::command
