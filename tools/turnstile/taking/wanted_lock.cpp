// SPDX-License-Identifier: BSL-1.0
#include "taking/wanted_lock.hpp"

#include "text/outcome.hpp"
#include "text/quietly.hpp"

#include <turnstile/error.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include <tuple>
#include <utility>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

// A message about a lock is not worth a longer wait.
constexpr std::chrono::seconds answer_limit{1};

// A server that was reached late answers one try within this time, or is silent.
constexpr std::chrono::seconds try_limit{4};

} // namespace

wanted_lock::wanted_lock(session& owner, const lock_wish& wish)
    : wish_(wish),
      line_(owner, wish.path),
      permits_(owner, wish.path),
      leaders_(owner, wish.path) {}

asio::awaitable<std::tuple<error_code, held_lock>>
wanted_lock::acquire(diagnostics& diag, lease_clock::time_point since) {
    using namespace asio::experimental::awaitable_operators;
    const auto token = with_diagnostics(diag, quietly);
    auto lock = wish_.permits > 0 ? permits_.permits(wish_.permits)
                : wish_.value     ? leaders_.candidate(*wish_.value)
                : wish_.shared    ? line_.shared()
                                  : lock_view(line_);
    if (wish_.at_most)
        lock = lock.at_most(*wish_.at_most);
    if (wish_.is_try())
        co_return co_await lock.try_acquire(token);
    if (!wish_.limit)
        co_return co_await lock.acquire(token);
    if (const auto rest = since + *wish_.limit - lease_clock::now(); rest.count() > 0)
        co_return co_await lock.acquire_for(rest, token);
    auto first = co_await (lock.try_acquire(token) || pause_for(try_limit));
    if (first.index() == 1)
        co_return std::tuple(error_code(error::timeout), held_lock());
    co_return std::move(std::get<0>(first));
}

asio::awaitable<std::vector<participant>> wanted_lock::list_participants(std::size_t most) {
    using namespace asio::experimental::awaitable_operators;
    auto first = co_await (line_.list_participants(most, quietly) || pause_for(answer_limit));
    if (first.index() == 1)
        co_return std::vector<participant>();
    co_return std::move(std::get<1>(std::get<0>(first)));
}

} // namespace turnstile::command
