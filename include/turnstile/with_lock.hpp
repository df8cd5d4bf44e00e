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

/// The types that `with_lock` acquires. A temporary must be a view or an operation, since the end
/// of a lock object cancels its acquires.
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
 * @brief Acquires a lock, runs a coroutine under it, and releases it.
 *
 * `function` is called with the held lock as an lvalue, or without arguments, and returns an
 * `asio::awaitable<T, Executor>`. When the lock is lost, the coroutine is cancelled (all
 * cancellation types), and `with_lock` waits for its end: the coroutine must not go on writing what
 * the lock protects. If it releases the lock early itself, it is not cancelled.
 *
 * `source` is a lock of any kind, a view, or an operation that acquires and was not started yet:
 *
 *     co_await with_lock(orders, work);
 *     co_await with_lock(catalogue.shared(), work);
 *     co_await with_lock(orders.acquire_for(10s), work);
 *
 * `with_lock` returns an `asio::awaitable<T, Executor>`. Once the release has ended, this has the
 * coroutine's result, or throws its exception.
 *
 * @par Errors
 * A failed acquire throws `error_with_diagnostics` with its code. All other errors throw
 * `boost::system::system_error`, with one of these codes:
 * - the reason of a loss (`condition::lock_lost`), whatever the coroutine did in the end. The
 *   coroutine's own exception is nested in it (`std::rethrow_if_nested`), unless that was
 *   `operation_aborted`.
 * - the code of the release, if it alone failed. If no server answered the release, this is only
 *   logged.
 * - `error::would_block`, if the operation is a `try_acquire` and others have the lock.
 *   `try_with_lock` returns instead.
 *
 * @par Per-operation cancellation
 * Terminal, in an `awaitable` as usual: it cancels the acquire, or the coroutine if that runs. The
 * lock is released in every case.
 *
 * @par Executor
 * The coroutine runs on a strand of its own over the executor of the calling coroutine. An
 * `Executor` that is not Asio's default cannot hold such a strand: then the coroutine runs on the
 * executor of the calling coroutine itself. That must be a strand, or of a context that one thread
 * runs. This goes for an executor that the caller passes, too.
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

/// Runs the coroutine under the lock on an executor of the caller's choice.
template <class Executor, detail::acquirable Source, class Function>
auto with_lock(const Executor& executor, Source&& source, Function function) {
    return detail::start_with_lock(
        detail::acquire_from<true>(std::forward<Source>(source)),
        [executor](const auto&) { return executor; }, std::move(function));
}

/**
 * @brief Runs a coroutine under a lock if it is free.
 *
 * It does what `with_lock` does, but with the lock's `try_acquire`, or an operation that does not
 * wait. It returns at once if others hold the lock or stand in line.
 *
 *     if (!co_await try_with_lock(job, work))
 *         std::cout << "another host is at it\n";
 *
 * It returns an `asio::awaitable<R, Executor>`. If the coroutine returns nothing, R is a `bool`:
 * true if the coroutine ran. Otherwise R is a `std::optional` of the coroutine's result.
 */
template <detail::acquirable Source, class Function>
auto try_with_lock(Source&& source, Function function) {
    return detail::start_with_lock<true>(detail::acquire_from<false>(std::forward<Source>(source)),
                                         detail::own_strand{}, std::move(function));
}

} // namespace turnstile
