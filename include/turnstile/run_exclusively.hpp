// SPDX-License-Identifier: BSL-1.0
// Keeps one coroutine running on one machine.
#pragma once

#include <turnstile/detail/take_turns.hpp>
#include <turnstile/exclusive_options.hpp>

#include <utility>

namespace turnstile {

/**
 * @brief Keeps a coroutine running on one machine, as a leader does.
 *
 * It lines up for the lock, and runs the coroutine under it, as `with_lock` does. When the lock is
 * lost, it cancels the coroutine, awaits its end, and lines up again. It ends in these cases:
 * - The coroutine returns, and the lock was not lost, nor was the coroutine asked to yield.
 * - A signal comes (`exclusive_options::stop_on`), or a cancellation. It cancels the wait or the
 *   coroutine, and awaits its end.
 * - An error ends it (below).
 *
 * In each case it releases the lock first, and waits for the answer. A second signal ends this wait
 * at once:
 *
 *     exclusive_options how;
 *     how.stop_on = {SIGINT, SIGTERM};
 *     co_await run_exclusively(leadership, lead, std::move(how));
 *
 * `function` is called for each grant, with the held lock as an lvalue, or without arguments, and
 * returns an `asio::awaitable<void, Executor>`. `lock` is a lock object, which must live until the
 * end, or a view. A coroutine that is cancelled may take its time: nobody else has the lock until
 * it ends. If the lock is lost meanwhile, it is cancelled once more.
 *
 * @par Errors
 * `exclusive_options::on_error` is called with each exception of the coroutine. After a loss the
 * exception is nested in the loss (`std::rethrow_if_nested`). `on_error` is also called if an
 * acquire or a release failed, and trying again may help. The code is then a `condition::retryable`
 * or `error::auth_failed`, since servers learn a new key or password one after the other. After
 * that it lines up again: after a pause, or at once if the lock was lost. Without `on_error`, and
 * after other failures such as `error::session_closed`, it ends with the exception. Neither a loss
 * nor the `operation_aborted` of a coroutine that was cancelled is an error here.
 *
 * @par Per-operation cancellation
 * Terminal. It ends with `operation_aborted`, unless the coroutine returned or threw another error.
 * Executor and thread safety: see `with_lock`. `on_error` is called on the coroutine's strand.
 */
template <detail::acquirable_again Lock, class Function>
auto run_exclusively(Lock&& lock, Function function, exclusive_options options = {}) {
    return detail::start_turns<Lock>(std::forward<Lock>(lock), std::move(function),
                                     std::move(options));
}

} // namespace turnstile
