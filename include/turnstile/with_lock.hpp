// Runs a coroutine under a lock, and cancels it when the lock is lost.
#pragma once

#include <turnstile/held_lock.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace turnstile {

namespace detail {

template <class Awaitable>
struct awaited;
template <class T, class Executor>
struct awaited<boost::asio::awaitable<T, Executor>> {
    using type = T;
    using nothing = boost::asio::awaitable<void, Executor>;
    using token = boost::asio::use_awaitable_t<Executor>;
};

// What the coroutine came to; a T exists only where it returned.
template <class T>
struct outcome {
    std::exception_ptr error;
    std::optional<T> value;
    T get() { return std::move(*value); }
};
template <>
struct outcome<void> {
    std::exception_ptr error;
    void get() {}
};

// What ends the other of the two: the coroutine's end, or a loss. The wait for the loss also ends
// where the coroutine releases the lock itself, and the coroutine may go on then.
struct ended_or_lost {
    boost::asio::cancellation_type_t operator()(const std::exception_ptr&) const noexcept {
        return boost::asio::cancellation_type::all;
    }
    boost::asio::cancellation_type_t operator()(const error_code& reason) const noexcept {
        return reason == condition::lock_lost ? boost::asio::cancellation_type::all
                                              : boost::asio::cancellation_type::none;
    }
};

template <class Lock, class Function>
auto call_under_lock(Function& function, Lock& lock) {
    if constexpr (std::invocable<Function&, Lock&>)
        return std::invoke(function, lock);
    else
        return std::invoke(function);
}

} // namespace detail

/**
 * @brief Acquires, runs a coroutine, releases.
 *
 * `function` is called with the `held_lock&`, or without arguments, and returns an
 * `asio::awaitable<T, Executor>`, which runs on the executor of the calling coroutine. When the
 * lock is lost, the coroutine is cancelled (all cancellation types) and its end is awaited: it must
 * not go on writing what the lock protects. It may release the lock early, and is not cancelled
 * then.
 *
 * @par Handler signature
 * None: this is a coroutine, an `asio::awaitable<T, Executor>` to be awaited by another or spawned.
 *
 * @par Completion condition
 * Returns what the coroutine returned, after the release was answered. An exception of the
 * coroutine is passed on after the release.
 *
 * @par Errors
 * Throws `boost::system::system_error`: with the code of the failed acquire; after a loss, with the
 * reason (`condition::lock_lost`), whatever the coroutine did in the end; with the code of the
 * failed release (`held_lock::release`), where the coroutine threw nothing.
 *
 * @par Per-operation cancellation
 * Terminal, in an `awaitable` as usual: while waiting it cancels the acquire, later the coroutine;
 * the lock is released in every case.
 *
 * @par Executor
 * That of the calling coroutine.
 *
 * @par Thread safety
 * The executor of the calling coroutine must be a strand, or of a context that one thread runs, as
 * for every coroutine that is cancelled.
 *
 * @par Object lifetimes
 * The mutex must live until the acquire is over.
 */
template <class Mutex, class Function>
auto with_lock(Mutex& mutex, Function function)
    -> decltype(detail::call_under_lock(function, std::declval<held_lock&>())) {
    namespace asio = boost::asio;
    using awaitable = decltype(detail::call_under_lock(function, std::declval<held_lock&>()));
    using result = typename detail::awaited<awaitable>::type;
    constexpr typename detail::awaited<awaitable>::token use_awaitable{};

    auto lock = co_await mutex.acquire(use_awaitable);
    const auto executor = co_await asio::this_coro::executor;
    detail::outcome<result> done;
    error_code loss;
    {
        auto run = [&]() -> typename detail::awaited<awaitable>::nothing {
            // The outcome is kept here, because a group's result could not be built for every T.
            if constexpr (std::is_void_v<result>)
                co_await detail::call_under_lock(function, lock);
            else
                done.value.emplace(co_await detail::call_under_lock(function, lock));
        };
        // Both end on the coroutine's executor, where each may cancel the other.
        auto group = asio::experimental::make_parallel_group(
            asio::co_spawn(executor, run(), asio::bind_executor(executor, asio::deferred)),
            lock.lost(asio::bind_executor(executor, asio::deferred)));
        const auto [order, error, reason] =
            co_await group.async_wait(detail::ended_or_lost{}, use_awaitable);
        done.error = error;
        // The loss counts also where it came in the same turn as the coroutine's end.
        if (reason == condition::lock_lost)
            loss = reason;
    }
    // A cancelled coroutine could not await the release otherwise.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    const auto [released] = co_await lock.release(asio::as_tuple(use_awaitable));
    co_await asio::this_coro::throw_if_cancelled(throws);
    if (!loss && released == condition::lock_lost)
        loss = released;
    if (loss)
        throw boost::system::system_error(loss, "with_lock");
    if (done.error)
        std::rethrow_exception(done.error);
    if (released && released != error::not_held) // not held: the coroutine released it
        throw boost::system::system_error(released, "with_lock");
    co_return done.get();
}

} // namespace turnstile
