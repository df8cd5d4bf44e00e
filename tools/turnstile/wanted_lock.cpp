#include "wanted_lock.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace turnstile::command {

namespace asio = boost::asio;

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
    const auto token = asio::as_tuple(asio::use_awaitable);
    auto [failed, found] = co_await line_.participants(most, token);
    co_return std::move(found);
}

} // namespace turnstile::command
