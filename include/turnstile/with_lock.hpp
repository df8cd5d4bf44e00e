// Runs a coroutine under a lock, and cancels it when the lock is lost.
#pragma once

#include <turnstile/detail/own_strand.hpp>
#include <turnstile/detail/run_under_lock.hpp>
#include <turnstile/lockable.hpp>

#include <boost/asio/deferred.hpp>

#include <utility>

namespace turnstile {

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
 * A failed acquire throws `error_with_diagnostics` with its code. All other errors throw
 * `boost::system::system_error`. After a loss it has the reason (`condition::lock_lost`), whatever
 * the coroutine did in the end. What the coroutine threw is nested in it
 * (`std::rethrow_if_nested`), unless that was `operation_aborted`. If the coroutine threw nothing
 * and the release failed, it has the code of the release (`held_lock::release`). Where the
 * operation is a `try_acquire` and others have the lock, it has `error::would_block`:
 * `try_with_lock` returns instead.
 *
 * @par Per-operation cancellation
 * Terminal, in an `awaitable` as usual: while waiting it cancels the acquire, later the coroutine;
 * the lock is released in every case.
 *
 * @par Executor
 * The coroutine runs on a strand of its own over the executor of the calling coroutine. The default
 * `Executor` can hold such a strand. Where another `Executor` cannot, the coroutine runs on the
 * executor of the calling coroutine itself. That must then be a strand, or of a context that one
 * thread runs. The last two overloads run the coroutine on the executor given, which must be of
 * that sort too.
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

/**
 * @brief Runs a coroutine under a lock if nobody else has it.
 *
 * As `with_lock`, with the lock's `try_acquire`. Returns at once where others hold the lock or
 * stand in line.
 *
 *     if (!co_await try_with_lock(job, work))
 *         std::cout << "another host is at it\n";
 *
 * @par Handler signature
 * None: this is a coroutine, an `asio::awaitable<R, Executor>`. R is `bool` where the coroutine
 * returns nothing: whether it ran. Otherwise R is a `std::optional` of what the coroutine returned.
 *
 * @par Completion condition
 * As `with_lock`, or others have the lock.
 *
 * @par Errors
 * Those of `with_lock`, but for `error::would_block`.
 *
 * @par Per-operation cancellation
 * As `with_lock`.
 *
 * @par Executor
 * As `with_lock`.
 *
 * @par Thread safety
 * As `with_lock`.
 *
 * @par Object lifetimes
 * As `with_lock`.
 */
template <lockable Lock, class Function>
auto try_with_lock(Lock& lock, Function function) {
    return detail::start_with_lock<true>(lock.try_acquire(boost::asio::deferred),
                                         detail::own_strand{}, std::move(function));
}

/// The same with another operation that does not wait, such as `shared_mutex::try_acquire_shared`.
template <acquire_operation Operation, class Function>
auto try_with_lock(Operation acquire, Function function) {
    return detail::start_with_lock<true>(std::move(acquire), detail::own_strand{},
                                         std::move(function));
}

} // namespace turnstile
