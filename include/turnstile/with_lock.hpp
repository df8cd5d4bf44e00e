// Runs a coroutine under a lock, and cancels it when the lock is lost.
#pragma once

#include <turnstile/detail/own_strand.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
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
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace turnstile {

namespace detail {

template <class T>
struct awaited {};
template <class T, class Executor>
struct awaited<boost::asio::awaitable<T, Executor>> {
    using type = T;
    using executor = Executor;
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

// What a deferred acquire completes with.
template <class Signature>
struct held_in {};
template <class Held>
struct held_in<void(error_code, Held)> {
    using type = Held;
};
template <class Operation>
struct acquired_by {};
template <class Operation>
    requires(boost::asio::is_async_operation<Operation>::value)
struct acquired_by<Operation>
    : held_in<typename boost::asio::completion_signature_of<Operation>::type> {};

template <class Held>
concept held = std::movable<Held> && requires(Held& lock) {
    lock.lost(boost::asio::deferred);
    lock.release(boost::asio::deferred);
};

template <class Function, class Held>
auto call_under_lock(Function& function, Held& lock) {
    if constexpr (std::invocable<Function&, Held&>)
        return std::invoke(function, lock);
    else if constexpr (std::invocable<Function&>)
        return std::invoke(function);
}

template <class Function, class Held>
using coroutine_under_lock =
    decltype(call_under_lock(std::declval<Function&>(), std::declval<Held&>()));

} // namespace detail

/// An operation that was not started yet and completes with a held lock: what `acquire` and its
/// other forms return with the token `deferred`, which is their default.
template <class Operation>
concept acquire_operation = detail::held<typename detail::acquired_by<Operation>::type>;

/// A lock object of any kind.
template <class Lock>
concept lockable = requires(Lock& lock) {
    { lock.acquire(boost::asio::deferred) } -> acquire_operation;
};

namespace detail {

template <class Executor, acquire_operation Operation, class Function, class Result>
boost::asio::awaitable<void, Executor> run_under_lock(Operation acquire, Function function,
                                                      std::shared_ptr<outcome<Result>> done) {
    namespace asio = boost::asio;
    constexpr asio::use_awaitable_t<Executor> use_awaitable{};

    auto lock = co_await std::move(acquire)(with_diagnostics(use_awaitable));
    const auto executor = co_await asio::this_coro::executor;
    error_code loss;
    {
        auto run = [&]() -> asio::awaitable<void, Executor> {
            // The outcome is kept here, because a group's result could not be built for every T.
            if constexpr (std::is_void_v<Result>)
                co_await call_under_lock(function, lock);
            else
                done->value.emplace(co_await call_under_lock(function, lock));
        };
        // Both end on the coroutine's executor, where each may cancel the other.
        auto group = asio::experimental::make_parallel_group(
            asio::co_spawn(executor, run(), asio::bind_executor(executor, asio::deferred)),
            lock.lost(asio::bind_executor(executor, asio::deferred)));
        const auto [order, error, reason] =
            co_await group.async_wait(ended_or_lost{}, use_awaitable);
        done->error = error;
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
    if (done->error)
        std::rethrow_exception(done->error);
    if (released && released != error::not_held) // not held: the coroutine released it
        throw boost::system::system_error(released, "with_lock");
}

/// `where` is asked for the executor to run on, on that of the caller.
template <class Awaitable, acquire_operation Operation, class Where, class Function>
Awaitable run_elsewhere(Operation acquire, Where where, Function function) {
    using executor_type = typename awaited<Awaitable>::executor;
    const auto done = std::make_shared<outcome<typename awaited<Awaitable>::type>>();
    const executor_type here = co_await boost::asio::this_coro::executor;
    auto body = run_under_lock<executor_type>(std::move(acquire), std::move(function), done);
    co_await spawn_on(where(here), std::move(body), boost::asio::use_awaitable_t<executor_type>{});
    co_return done->get();
}

// A name of its own: an operation's type is of this namespace, which would be searched too.
template <class Operation, class Where, class Function>
auto start_with_lock(Operation acquire, Where where, Function function) {
    using held_type = typename acquired_by<Operation>::type;
    using coroutine = coroutine_under_lock<Function, held_type>;
    constexpr bool fits = requires { typename awaited<coroutine>::type; };
    static_assert(fits, "with_lock needs a function that is called with the held lock, or without "
                        "arguments, and returns an asio::awaitable");
    if constexpr (fits)
        return run_elsewhere<coroutine>(std::move(acquire), std::move(where), std::move(function));
    else
        return boost::asio::awaitable<void>(); // so that the sentence above stays the only error
}

} // namespace detail

/**
 * @brief Acquires, runs a coroutine, releases.
 *
 * `function` is called with the held lock as an lvalue, or without arguments, and returns an
 * `asio::awaitable<T, Executor>`. When the lock is lost, the coroutine is cancelled (all
 * cancellation types) and its end is awaited: it must not go on writing what the lock protects. It
 * may release the lock early, and is not cancelled then.
 *
 * The lock may be of any kind. For the other forms of acquiring it there is an overload that takes
 * the operation:
 *
 *     co_await with_lock(orders, work);
 *     co_await with_lock(orders.try_acquire(), work);
 *     co_await with_lock(orders.acquire_for(10s), work);
 *     co_await with_lock(catalogue.acquire_shared(), work);
 *
 * @par Handler signature
 * None: this is a coroutine, an `asio::awaitable<T, Executor>` to be awaited by another or spawned.
 *
 * @par Completion condition
 * Returns what the coroutine returned, after the release was answered. An exception of the
 * coroutine is passed on after the release.
 *
 * @par Errors
 * Throws `error_with_diagnostics` with the code of the failed acquire, and
 * `boost::system::system_error` otherwise: after a loss, with the reason (`condition::lock_lost`),
 * whatever the coroutine did in the end; with the code of the failed release
 * (`held_lock::release`), where the coroutine threw nothing.
 *
 * @par Per-operation cancellation
 * Terminal, in an `awaitable` as usual: while waiting it cancels the acquire, later the coroutine;
 * the lock is released in every case.
 *
 * @par Executor
 * The coroutine runs on a strand of its own over the executor of the calling coroutine. Where
 * `Executor` cannot hold such a strand (it can by default), it runs on the executor of the calling
 * coroutine itself, which must be a strand then, or of a context that one thread runs. The last two
 * overloads run it on the executor given, which must be of that sort too.
 *
 * @par Thread safety
 * Safe: losses and cancellation reach the coroutine on its strand. Only a calling coroutine that is
 * itself cancelled needs a strand, as every coroutine that is cancelled.
 *
 * @par Object lifetimes
 * The lock object must live until the acquire is over.
 */
template <lockable Lock, class Function>
auto with_lock(Lock& lock, Function function) {
    return detail::start_with_lock(lock.acquire(boost::asio::deferred), detail::own_strand{},
                                   std::move(function));
}

/// The same with another way to acquire.
template <acquire_operation Operation, class Function>
auto with_lock(Operation acquire, Function function) {
    return detail::start_with_lock(std::move(acquire), detail::own_strand{}, std::move(function));
}

/// The same on an executor of the caller's choice.
template <class Executor, lockable Lock, class Function>
auto with_lock(const Executor& executor, Lock& lock, Function function) {
    return detail::start_with_lock(
        lock.acquire(boost::asio::deferred), [executor](const auto&) { return executor; },
        std::move(function));
}

/// The same on an executor of the caller's choice, with another way to acquire.
template <class Executor, acquire_operation Operation, class Function>
auto with_lock(const Executor& executor, Operation acquire, Function function) {
    return detail::start_with_lock(
        std::move(acquire), [executor](const auto&) { return executor; }, std::move(function));
}

} // namespace turnstile
