#include "wanted_lock.hpp"

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

// What is only said of a lock is not worth a longer wait.
constexpr std::chrono::seconds answer_limit{3};

} // namespace

wanted_lock::wanted_lock(session& owner, const lock_wish& wish)
    : wish_(wish), line_(owner, wish.path), leases_(owner, wish.path) {}

asio::awaitable<std::tuple<error_code, held_lock>>
wanted_lock::acquire(diagnostics& told, asio::cancellation_slot stop) {
    const auto token = [&stop] {
        return asio::bind_cancellation_slot(stop, asio::as_tuple(asio::use_awaitable));
    };
    const auto& limit = wish_.limit;
    if (wish_.leases > 0) {
        if (wish_.no_wait)
            co_return co_await leases_.try_acquire(wish_.leases, told, token());
        if (limit)
            co_return co_await leases_.acquire_for(wish_.leases, *limit, told, token());
        co_return co_await leases_.acquire(wish_.leases, told, token());
    }
    if (wish_.shared) {
        if (wish_.no_wait)
            co_return co_await line_.try_acquire_shared(told, token());
        if (limit)
            co_return co_await line_.acquire_shared_for(*limit, told, token());
        co_return co_await line_.acquire_shared(told, token());
    }
    if (wish_.no_wait)
        co_return co_await line_.try_acquire(told, token());
    if (limit)
        co_return co_await line_.acquire_for(*limit, told, token());
    co_return co_await line_.acquire(told, token());
}

asio::awaitable<std::vector<participant>> wanted_lock::participants(std::size_t most) {
    using namespace asio::experimental::awaitable_operators;
    const auto token = asio::as_tuple(asio::use_awaitable);
    asio::steady_timer limit(co_await asio::this_coro::executor, answer_limit);
    auto first = co_await (line_.participants(most, token) || limit.async_wait(token));
    if (first.index() == 1)
        co_return std::vector<participant>();
    co_return std::move(std::get<1>(std::get<0>(first)));
}

} // namespace turnstile::command
