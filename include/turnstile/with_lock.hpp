// SPDX-License-Identifier: BSL-1.0
// Runs a coroutine under a lock, and cancels it when the lock is lost.
#pragma once

#include <turnstile/detail/run_under_lock.hpp>
#include <turnstile/lockable.hpp>

#include <boost/asio/deferred.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace turnstile {

namespace detail {

/// What `with_lock` acquires. A temporary only where it is a view or an operation: the end of a
/// lock object cancels its acquires.
template <class Source>
concept acquirable = acquire_operation<std::remove_cvref_t<Source>> ||
    (lockable<Source> && (std::is_lvalue_reference_v<Source> || std::copyable<Source>));

template <bool Waits, acquirable Source>
auto acquire_from(Source&& source) {
    if constexpr (acquire_operation<std::remove_cvref_t<Source>>)
        return std::forward<Source>(source);
    else if constexpr (Waits)
        return source.acquire(boost::asio::deferred);
    else
        return source.try_acquire(boost::asio::deferred);
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
 * It takes a lock of any kind, a view, or an operation that acquires and was not started yet:
 *
 *     co_await with_lock(orders, work);
 *     co_await with_lock(catalogue.shared(), work);
 *     co_await with_lock(orders.acquire_for(10s), work);
 *
 * This is an `asio::awaitable<T, Executor>`. It returns what the coroutine returned, or passes its
 * exception on, after the release has ended.
 *
 * @par Errors
 * A failed acquire throws `error_with_diagnostics` with its code. All other errors throw
 * `boost::system::system_error`. After a loss it has the reason (`condition::lock_lost`), whatever
 * the coroutine did in the end. What the coroutine threw is nested in it
 * (`std::rethrow_if_nested`), unless that was `operation_aborted`. If the release alone failed, it
 * has that code; that no server answered the release is only logged. Where the operation is a
 * `try_acquire` and others have the lock, it has
 * `error::would_block`: `try_with_lock` returns instead.
 *
 * @par Per-operation cancellation
 * Terminal, in an `awaitable` as usual: while waiting it cancels the acquire, later the coroutine;
 * the lock is released in every case.
 *
 * @par Executor
 * The coroutine runs on a strand of its own over the executor of the calling coroutine. An
 * `Executor` that is not Asio's default cannot hold such a strand: then the coroutine runs on the
 * executor of the calling coroutine itself. That must be a strand, or of a context that one thread
 * runs. An executor that is given must be of that sort, too.
 *
 * @par Thread safety
 * Losses and cancellation reach the coroutine on its strand. A calling coroutine that is cancelled
 * needs a strand, as always. The lock object must live until the acquire is over.
 */
template <detail::acquirable Source, class Function>
auto with_lock(Source&& source, Function function) {
    return detail::start_with_lock(detail::acquire_from<true>(std::forward<Source>(source)),
                                   detail::own_strand{}, std::move(function));
}

/// The same on an executor of the caller's choice.
template <class Executor, detail::acquirable Source, class Function>
auto with_lock(const Executor& executor, Source&& source, Function function) {
    return detail::start_with_lock(
        detail::acquire_from<true>(std::forward<Source>(source)),
        [executor](const auto&) { return executor; }, std::move(function));
}

/**
 * @brief Runs a coroutine under a lock if it is free.
 *
 * As `with_lock`, with the lock's `try_acquire`, or an operation that does not wait. Returns at
 * once where others hold the lock or stand in line.
 *
 *     if (!co_await try_with_lock(job, work))
 *         std::cout << "another host is at it\n";
 *
 * An `asio::awaitable<R, Executor>`. R is `bool` where the coroutine returns nothing: whether it
 * ran. Otherwise R is a `std::optional` of what the coroutine returned.
 */
template <detail::acquirable Source, class Function>
auto try_with_lock(Source&& source, Function function) {
    return detail::start_with_lock<true>(detail::acquire_from<false>(std::forward<Source>(source)),
                                         detail::own_strand{}, std::move(function));
}

} // namespace turnstile
