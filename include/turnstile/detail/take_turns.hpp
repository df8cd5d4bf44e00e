// SPDX-License-Identifier: BSL-1.0
// The coroutines behind run_exclusively.
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

/// A lock object, or a view: they can be acquired again and again.
template <class Lock>
concept acquirable_again = lockable<Lock> &&
    (std::is_lvalue_reference_v<Lock> || std::copyable<Lock>);

[[noreturn]] inline void refuse_option(std::string cause) {
    throw error_with_diagnostics(error::bad_options,
                                 {.cause = "exclusive_options::" + std::move(cause)});
}

/// Until the coroutine returns, or this one is cancelled. The arguments live until then.
template <class Executor, class Lock, class Function>
boost::asio::awaitable<void, Executor> take_turns(Lock& lock, Function& function,
                                                  const exclusive_options& options,
                                                  haste* hurry = nullptr) {
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
                turn, options.yields, hurry);
        } catch (...) {
            failure = std::current_exception();
        }
        if (began && lease_clock::now() - *began > options.longest_backoff)
            pause = options.shortest_backoff;
        if (!failure && !turn->yielded)
            co_return; // its work is done
        const auto state = co_await asio::this_coro::cancellation_state;
        const bool stopped = state.cancelled() != asio::cancellation_type::none;
        // Neither the loss nor its own cancellation is an error of the body.
        const auto code = code_in(turn->loss ? turn->error : failure);
        const bool interrupted = stopped || turn->yielded || turn->loss;
        const bool told = (turn->loss ? turn->error : failure) &&
                          !(interrupted && code == asio::error::operation_aborted) &&
                          !(turn->loss && code == condition::lock_lost);
        if (told) {
            const bool work_is_done = began && !turn->error && !turn->yielded;
            // Servers take a new key or password one after the other.
            const bool is_retryable = code == condition::retryable || code == error::auth_failed;
            const bool may_help = turn->error || (!work_is_done && is_retryable);
            if (!options.on_error || !may_help)
                std::rethrow_exception(failure);
            options.on_error(failure);
        }
        if (stopped)
            throw boost::system::system_error(asio::error::operation_aborted);
        if (told && !turn->loss) {
            // Less up to a half by chance, so that several do not try again together.
            const auto most = static_cast<std::uint64_t>(pause.count() / 2);
            const auto less = random_word(context_of(executor)) % (most + 1);
            co_await pause_for<Executor>(pause -
                                         std::chrono::nanoseconds(static_cast<std::int64_t>(less)));
            pause = pause < options.longest_backoff / 2 ? 2 * pause : options.longest_backoff;
        }
    }
}

template <class Executor, class Lock, class Function>
boost::asio::awaitable<void, Executor> take_turns_until_told(Lock& lock, Function& function,
                                                             const exclusive_options& options) {
    namespace asio = boost::asio;
    const Executor executor = co_await asio::this_coro::executor;
    if (options.shortest_backoff.count() <= 0)
        refuse_option("shortest_backoff must be greater than zero");
    if (options.longest_backoff < options.shortest_backoff)
        refuse_option("longest_backoff must not be less than shortest_backoff");
    // The first signal ends the turns, as their own cancellation does. The next one ends the wait
    // for a release.
    haste hurry;
    const auto end = std::make_shared<asio::cancellation_signal>();
    bool was_told = false;
    const signal_watch stop(executor, options.stop_on, [&] {
        if (std::exchange(was_told, true))
            hurry.stop_waiting();
        else
            end->emit(asio::cancellation_type::terminal);
    });
    const auto state = co_await asio::this_coro::cancellation_state;
    if (auto slot = state.slot(); slot.is_connected())
        slot.assign([end](asio::cancellation_type_t type) { end->emit(type); });
    try {
        co_await spawn_on(
            executor, take_turns<Executor>(lock, function, options, &hurry),
            asio::bind_cancellation_slot(end->slot(), asio::use_awaitable_t<Executor>{}));
    } catch (const boost::system::system_error& failed) {
        if (!was_told || failed.code() != asio::error::operation_aborted)
            throw;
    }
}

/// `Lock` is a reference, or the type of a view.
template <class Executor, class Lock, class Function>
boost::asio::awaitable<void, Executor> run_turns(Lock lock, Function function,
                                                 exclusive_options options) {
    const Executor here = co_await boost::asio::this_coro::executor;
    co_await spawn_on(own_strand{}(here), take_turns_until_told<Executor>(lock, function, options),
                      boost::asio::use_awaitable_t<Executor>{});
}

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
