// SPDX-License-Identifier: BSL-1.0
#include "taking/release_lock.hpp"

#include "options/duration_option.hpp"
#include "text/quietly.hpp"
#include "text/say.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

#include <fmt/core.h>

#include <tuple>
#include <variant>

namespace turnstile::command {

namespace asio = boost::asio;

namespace {

// A server that is restarted is back within this time.
constexpr std::chrono::seconds release_limit{4};

} // namespace

// Without a release, others get the lock only after the session timeout. So a server that may come
// back is worth the wait.
asio::awaitable<error_code> release_lock(held_lock& lock, std::string path,
                                         std::chrono::milliseconds timeout,
                                         std::optional<asio::steady_timer>& limit) {
    using namespace asio::experimental::awaitable_operators;
    limit.emplace(co_await asio::this_coro::executor, release_limit);
    const bool was_held = lock.is_held();
    const auto first = co_await (lock.release(quietly) || limit->async_wait(quietly));
    const auto* const answer = std::get_if<0>(&first);
    const auto why = answer != nullptr ? std::get<0>(*answer) : error::unreachable;
    if (why == error::unreachable) {
        say(fmt::format("no server takes the release of {}: others get the lock when the servers "
                        "have not heard of us for {}",
                        path, option_text(timeout)));
        co_return error_code();
    }
    // The lock was proved to be held until now, so only another program can have taken it. After
    // any other error the end of the session releases the lock.
    const bool lost = why == condition::lock_lost && (!was_held || why == error::ticket_deleted);
    co_return lost ? why : error_code();
}

} // namespace turnstile::command
