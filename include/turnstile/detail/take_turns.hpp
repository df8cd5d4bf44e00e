// SPDX-License-Identifier: BSL-1.0
// run_exclusively: a function that runs under a lock, turn after turn.
#pragma once

#include <turnstile/detail/pause.hpp>
#include <turnstile/detail/run_under_lock.hpp>
#include <turnstile/detail/signal_watch.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/error.hpp>
#include <turnstile/exclusive_options.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/lockable.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

// The way of a call of run_exclusively, from the outside in. (The file has it from the inside out.)
// 1. start_turns() checks the type of the user's function.
// 2. run_turns() moves to a strand of its own.
// 3. take_turns_until_signal() checks the options, and ends the turns at a signal.
// 4. take_turns() acquires the lock and runs the function, turn after turn (run_under_lock).

/// A lock that can be acquired again and again: a lock object, or a view of one.
template <class Lock>
concept acquirable_again = lockable<Lock> &&
    (std::is_lvalue_reference_v<Lock> || std::copyable<Lock>);

[[noreturn]] inline void refuse_option(std::string cause) {
    throw error_with_diagnostics(error::bad_options,
                                 {.cause = "exclusive_options::" + std::move(cause)});
}

/// How a turn ended.
enum class turn_end {
    done,        // the work is done
    interrupted, // by a loss, a request to yield or a cancellation, without an error of its own
    retryable,   // by an error, and another turn may help
    failed,      // by an error, and no turn helps
};

/// Decides how a turn ended. `turn` has what happened under the lock: `error` is what the function
/// has thrown, `loss` says why the lock was lost, and `yielded` that another asked for it.
/// `failure` is what run_under_lock() has thrown for any of these, or because the acquire or the
/// release failed. `has_begun`: the function was called. `was_stopped`: the turns were cancelled.
inline turn_end end_of_turn(const ending& turn, const std::exception_ptr& failure, bool has_begun,
                            bool was_stopped) {
    namespace asio = boost::asio;
    if (!failure && !turn.yielded)
        return turn_end::done;
    // After a loss `failure` is the loss, which is no error of this turn. Only what the function
    // has thrown counts then.
    const auto& own_error = turn.loss ? turn.error : failure;
    const auto code = code_in(own_error);
    const bool was_cancelled = was_stopped || turn.yielded || turn.loss;
    const bool is_cancellation = was_cancelled && code == asio::error::operation_aborted;
    const bool is_loss = turn.loss && code == condition::lock_lost;
    if (!own_error || is_cancellation || is_loss)
        return turn_end::interrupted;
    if (turn.error) // the function has thrown it
        return turn_end::retryable;
    // The acquire or the release has failed. If the release did, the function has done its work,
    // and a further turn would do it twice; unless a request to yield has cut it short.
    if (has_begun && !turn.yielded)
        return turn_end::failed;
    // A refused password may be accepted later: the servers learn a new one at different times.
    const bool is_retryable = code == condition::retryable || code == error::auth_failed;
    return is_retryable ? turn_end::retryable : turn_end::failed;
}

/// Shortens the pause by up to half of it, so that clients do not all try at one instant.
template <class Executor>
std::chrono::nanoseconds shortened_at_random(const Executor& executor,
                                             std::chrono::nanoseconds pause) {
    auto& context = boost::asio::query(executor, boost::asio::execution::context);
    const auto half = static_cast<std::uint64_t>(pause.count() / 2);
    return pause -
           std::chrono::nanoseconds(static_cast<std::int64_t>(random_word(context) % (half + 1)));
}

/// Acquires the lock and runs the function's coroutine under it, turn after turn. A turn ends with
/// the coroutine. A loss of the lock cancels the coroutine, and so does a request to yield.
///
/// - The work is done once a coroutine has returned, and its turn was neither lost nor yielded.
/// - A cancellation of this coroutine ends the turns with `operation_aborted`.
/// - If another turn may help against an error, `on_error` is called with the error, and the next
///   turn begins after a pause. If no turn helps, or there is no `on_error`, the error is thrown.
///
/// The caller, take_turns_until_signal(), keeps the arguments alive.
template <class Executor, class Lock, class Function>
boost::asio::awaitable<void, Executor> take_turns(Lock& lock, Function& function,
                                                  const exclusive_options& options,
                                                  release_wait& release) {
    namespace asio = boost::asio;
    const Executor executor = co_await asio::this_coro::executor;
    std::chrono::nanoseconds pause = options.shortest_backoff;
    for (;;) {
        const auto turn = std::make_shared<outcome<void>>();
        std::optional<lease_clock::time_point> began;
        std::exception_ptr failure;
        try {
            co_await run_under_lock<Executor>(
                lock.acquire(asio::deferred),
                [&](auto& held) {
                    began = lease_clock::now();
                    return call_under_lock(function, held);
                },
                turn, options.yields, &release);
        } catch (...) {
            failure = std::current_exception();
        }
        // After a function that ran for long an error continues no series: the pauses begin anew.
        if (began && lease_clock::now() - *began > options.longest_backoff)
            pause = options.shortest_backoff;
        const auto state = co_await asio::this_coro::cancellation_state;
        const bool was_stopped = state.cancelled() != asio::cancellation_type::none;
        const auto end = end_of_turn(*turn, failure, began.has_value(), was_stopped);
        if (end == turn_end::done)
            co_return;
        if (end == turn_end::failed || (end == turn_end::retryable && !options.on_error))
            std::rethrow_exception(failure);
        if (end == turn_end::retryable)
            options.on_error(failure);
        if (was_stopped)
            throw boost::system::system_error(asio::error::operation_aborted);
        if (end == turn_end::retryable && !turn->loss) { // after a loss it lines up again at once
            co_await pause_for<Executor>(shortened_at_random(executor, pause));
            pause = pause < options.longest_backoff / 2 ? 2 * pause : options.longest_backoff;
        }
    }
}

/// Checks the options, and takes turns until a signal of `stop_on` comes. The first signal ends the
/// turns, as a cancellation does. The next one ends the wait for a release.
template <class Executor, class Lock, class Function>
boost::asio::awaitable<void, Executor> take_turns_until_signal(Lock& lock, Function& function,
                                                               const exclusive_options& options) {
    namespace asio = boost::asio;
    const Executor executor = co_await asio::this_coro::executor;
    if (options.shortest_backoff.count() <= 0)
        refuse_option("shortest_backoff must be greater than zero");
    if (options.longest_backoff < options.shortest_backoff)
        refuse_option("longest_backoff must not be less than shortest_backoff");
    release_wait release;
    const auto stop_turns = std::make_shared<asio::cancellation_signal>();
    bool was_signalled = false;
    const signal_watch stop(executor, options.stop_on, [&] {
        if (std::exchange(was_signalled, true))
            release.cut_short();
        else
            stop_turns->emit(asio::cancellation_type::terminal);
    });
    const auto state = co_await asio::this_coro::cancellation_state;
    if (auto slot = state.slot(); slot.is_connected())
        slot.assign([stop_turns](asio::cancellation_type_t type) { stop_turns->emit(type); });
    try {
        co_await spawn_on(
            executor, take_turns<Executor>(lock, function, options, release),
            asio::bind_cancellation_slot(stop_turns->slot(), asio::use_awaitable_t<Executor>{}));
    } catch (const boost::system::system_error& failed) {
        if (!was_signalled || failed.code() != asio::error::operation_aborted)
            throw;
    }
}

/// Takes turns on a strand of its own, and keeps the arguments alive. `Lock` is a reference, or the
/// type of a view.
template <class Executor, class Lock, class Function>
boost::asio::awaitable<void, Executor> run_turns(Lock lock, Function function,
                                                 exclusive_options options) {
    const Executor here = co_await boost::asio::this_coro::executor;
    co_await spawn_on(own_strand{}(here),
                      take_turns_until_signal<Executor>(lock, function, options),
                      boost::asio::use_awaitable_t<Executor>{});
}

/// run_exclusively calls it: it checks the function's type.
template <class Lock, class Function>
auto start_turns(Lock&& lock, Function function, exclusive_options options) {
    using operation = decltype(lock.acquire(boost::asio::deferred));
    using coroutine = coroutine_under_lock<Function, typename acquired_by<operation>::type>;
    constexpr bool fits = requires { requires std::is_void_v<typename awaited<coroutine>::type>; };
    static_assert(fits, "run_exclusively needs a function that is called with the held lock, or "
                        "without arguments, and returns an asio::awaitable<void>");
    if constexpr (fits)
        return run_turns<typename awaited<coroutine>::executor, Lock>(
            std::forward<Lock>(lock), std::move(function), std::move(options));
    else
        return boost::asio::awaitable<void>(); // as in start_with_lock
}

} // namespace turnstile::detail
