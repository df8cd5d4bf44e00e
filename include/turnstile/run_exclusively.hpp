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
 * Lines up for the lock, and runs the coroutine under it, as `with_lock` does. When the lock is
 * lost, it cancels the coroutine, awaits its end, and lines up again. It ends
 * - when the coroutine returns, but for a return after a loss or a request to yield;
 * - when it is told to stop: by a signal (`exclusive_options::stop_on`), or by a cancellation. Then
 *   it cancels the wait, or the coroutine, and awaits its end;
 * - with an error (below).
 *
 * In each case it releases the lock first, and awaits the end of that. A second signal ends this
 * wait at once:
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
 * What the coroutine throws goes to `exclusive_options::on_error`, after a loss nested in the loss
 * (`std::rethrow_if_nested`). So does an acquire or a release that failed, if trying again may
 * help: `condition::retryable`, and `error::auth_failed`, since servers take a new key or password
 * one after the other. It then lines up again: after a pause, or at once if the lock was lost.
 * Without `on_error`, and for other failures such as `error::session_closed`, the exception ends
 * it. `operation_aborted` is no error of a coroutine that was cancelled, and neither is the loss.
 *
 * @par Per-operation cancellation
 * Terminal. It ends with `operation_aborted`, unless the coroutine returned or threw another error.
 * Executor and thread safety: as `with_lock`. `on_error` is called on the coroutine's strand.
 */
template <detail::acquirable_again Lock, class Function>
auto run_exclusively(Lock&& lock, Function function, exclusive_options options = {}) {
    return detail::start_turns<Lock>(std::forward<Lock>(lock), std::move(function),
                                     std::move(options));
}

} // namespace turnstile
