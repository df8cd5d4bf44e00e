// SPDX-License-Identifier: BSL-1.0
// Runs a coroutine under a lock: for with_lock, try_with_lock and run_exclusively.
#pragma once

#include <turnstile/detail/own_strand.hpp>
#include <turnstile/error.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lockable.hpp>
#include <turnstile/with_diagnostics.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

// The way of a call of with_lock, from the outside in. (The file has it from the inside out, since
// each function stands before its caller.)
// 1. start_with_lock() checks the type of the user's function.
// 2. run_elsewhere() moves to the executor on which the function runs (spawn_on).
// 3. run_under_lock() acquires the lock, runs the function's coroutine, and releases the lock.
// 4. watched_initiation starts that coroutine and, beside it, the waits for a loss of the lock and
//    for a request to yield.
// take_turns() enters at step 3, once for each turn.

/// Cancels a coroutine that spawn_on() has started on another executor. Used on that executor only.
struct spawned_coroutine {
    boost::asio::cancellation_signal cancel;
    bool over = false; // the coroutine has ended, and must not be cancelled any more
};

/// Spawns a coroutine as co_spawn does. But a cancellation from another thread reaches the
/// coroutine on its own executor, and never after its end. (After the end Asio's co_spawn leaves a
/// dangling pointer in the slot.)
template <class Executor>
struct spawn_initiation {
    using executor_type = Executor;

    Executor where;
    Executor get_executor() const noexcept { return where; }

    template <class Handler>
    void operator()(Handler&& handler, boost::asio::awaitable<void, Executor> body) const {
        namespace asio = boost::asio;
        const auto state = std::make_shared<spawned_coroutine>();
        if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
            slot.assign([state, where = where](asio::cancellation_type_t) {
                // A coroutine of co_spawn accepts `terminal` alone, unless it asks for more. So
                // `terminal` is emitted, whichever type came.
                asio::post(where, [state] {
                    if (!state->over)
                        state->cancel.emit(asio::cancellation_type::terminal);
                });
            });
        auto work = asio::make_work_guard(asio::get_associated_executor(handler, where));
        auto end = [state, work = std::move(work),
                    handler = std::forward<Handler>(handler)](std::exception_ptr error) mutable {
            state->over = true;
            const auto back = work.get_executor();
            asio::dispatch(back,
                           [handler = std::move(handler), error = std::move(error)]() mutable {
                               std::move(handler)(std::move(error));
                           });
        };
        asio::co_spawn(where, std::move(body),
                       asio::bind_cancellation_slot(state->cancel.slot(),
                                                    asio::bind_executor(where, std::move(end))));
    }
};

/// Runs the coroutine on `where`, and completes on the executor of the token's handler.
template <class Executor, class Token>
auto spawn_on(const Executor& where, boost::asio::awaitable<void, Executor> body, Token token) {
    return boost::asio::async_initiate<Token, void(std::exception_ptr)>(
        spawn_initiation<Executor>{where}, token, std::move(body));
}

/// The types of a coroutine's result and executor.
template <class T>
struct awaited {};
template <class T, class Executor>
struct awaited<boost::asio::awaitable<T, Executor>> {
    using type = T;
    using executor = Executor;
};

/// How the coroutine under the lock ended.
struct ending {
    std::exception_ptr error;
    error_code loss;
    bool others_hold = false; // others hold the lock: the coroutine was not called
    bool yielded = false;     // the coroutine was cancelled, since another asked for the lock
};

/// The wait for a release. take_turns_until_signal() owns it, and ends it early by cut_short() at
/// its second signal. The release itself goes on. Used on the executor of the coroutine that waits.
struct release_wait {
    bool was_cut_short = false; // cut_short() was called, perhaps before the release began
    boost::asio::cancellation_signal signal{};

    void cut_short() {
        was_cut_short = true;
        signal.emit(boost::asio::cancellation_type::terminal);
    }
};

/// The ending of a coroutine, and its result. There is a result only if it returned.
template <class T>
struct outcome : ending {
    using tried_type = std::optional<T>;
    std::optional<T> value;
    /// The result. There has to be one.
    T get() { return std::move(*value); }
    /// The result of `try_with_lock`: empty if others hold the lock.
    tried_type tried() { return std::move(value); }
};
template <>
struct outcome<void> : ending {
    using tried_type = bool;
    void get() {}
    tried_type tried() const { return !others_hold; }
};

/// The error code in a system_error. Any other exception has none.
inline error_code code_in(const std::exception_ptr& thrown) {
    try {
        if (thrown)
            std::rethrow_exception(thrown);
    } catch (const boost::system::system_error& e) {
        return e.code();
    } catch (...) {
    }
    return {};
}

/// Throws the loss. The coroutine's own exception is nested in it, unless that was a cancellation.
[[noreturn]] inline void throw_loss(const error_code& reason, const std::exception_ptr& thrown) {
    const boost::system::system_error loss(reason, "with_lock");
    if (!thrown || code_in(thrown) == boost::asio::error::operation_aborted)
        throw loss;
    try {
        std::rethrow_exception(thrown);
    } catch (...) {
        std::throw_with_nested(loss);
    }
}

/// A held lock that reports when another asks for the lock.
template <class Held>
concept can_yield = requires(Held& lock) {
    lock.wait_yield(boost::asio::deferred);
};

/// The coroutine under a lock, and two waits beside it: one for the loss of the lock, one for a
/// request to yield. Three events cancel the coroutine: a cancellation by the caller, a loss, and a
/// request to yield. A later one cancels it once more, so a coroutine that is slow to end still
/// learns of a loss. (Asio's parallel_group would pass on the first cancellation alone.) The
/// handler is called once the coroutine and the waits have completed. Their handlers own this
/// object together. Used on one executor.
template <class Handler>
struct watched_coroutine {
    Handler handler;
    std::shared_ptr<ending> result;
    int uncompleted;        // how many have not completed: the coroutine and each wait
    bool has_ended = false; // the coroutine has ended
    boost::asio::cancellation_signal stop_body{};
    boost::asio::cancellation_signal stop_loss_wait{};
    boost::asio::cancellation_signal stop_yield_wait{};

    void cancel(boost::asio::cancellation_type_t type) {
        if (!has_ended)
            stop_body.emit(type);
    }
    /// The coroutine has ended.
    void on_end(std::exception_ptr error) {
        has_ended = true;
        result->error = std::move(error);
        stop_loss_wait.emit(boost::asio::cancellation_type::all);
        stop_yield_wait.emit(boost::asio::cancellation_type::all);
        one_completed();
    }
    /// The wait for a loss has ended. It also ends if the coroutine has released the lock by
    /// itself: then the coroutine goes on. A loss counts even if the coroutine ended just before it
    /// was reported.
    void on_loss(const error_code& reason) {
        if (reason == condition::lock_lost) {
            result->loss = reason;
            cancel(boost::asio::cancellation_type::all);
        }
        one_completed();
    }
    /// The wait for a request to yield has ended.
    void on_yield_request(const error_code& failure) {
        if (!failure && !has_ended) {
            result->yielded = true;
            cancel(boost::asio::cancellation_type::all);
        }
        one_completed();
    }
    void one_completed() {
        if (--uncompleted == 0) {
            auto last = std::move(handler); // the call may destroy this object
            std::move(last)();
        }
    }
};

/// Starts the coroutine and the waits (`watched_coroutine`), and completes once all of them have.
/// Then `result` has the ending. The lock and `body`, which is called once, must live until then.
template <class Executor, class Held, class Body>
struct watched_initiation {
    Executor where;
    Held* lock;
    Body* body;
    std::shared_ptr<ending> result;
    bool yields; // a request to yield cancels the coroutine

    template <class Handler>
    void operator()(Handler&& handler) const {
        namespace asio = boost::asio;
        const auto stopped_by = [this](asio::cancellation_signal& stop, auto then) {
            return asio::bind_cancellation_slot(stop.slot(),
                                                asio::bind_executor(where, std::move(then)));
        };
        auto slot = asio::get_associated_cancellation_slot(handler);
        const bool hears_requests = can_yield<Held> && yields;
        const auto watched = std::make_shared<watched_coroutine<std::decay_t<Handler>>>(
            std::forward<Handler>(handler), result, hears_requests ? 3 : 2);
        if (slot.is_connected())
            slot.assign([weak = std::weak_ptr(watched)](asio::cancellation_type_t type) {
                if (const auto still = weak.lock())
                    still->cancel(type);
            });
        // The waits begin first, since they never complete within their call.
        lock->wait_lost(stopped_by(watched->stop_loss_wait, [watched](const error_code& reason) {
            watched->on_loss(reason);
        }));
        if constexpr (can_yield<Held>)
            if (hears_requests)
                lock->wait_yield(stopped_by(watched->stop_yield_wait,
                                            [watched](const error_code& failure, const auto&) {
                                                watched->on_yield_request(failure);
                                            }));
        asio::co_spawn(where, (*body)(),
                       stopped_by(watched->stop_body, [watched](std::exception_ptr error) {
                           watched->on_end(std::move(error));
                       }));
    }
};

/// Whether the granted lock is lost or released already. False if its type has no is_held().
template <class Held>
bool is_over(const Held& lock) {
    if constexpr (requires { lock.is_held(); })
        return !lock.is_held();
    return false;
}

/// Calls the function with the held lock, or without arguments.
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

/// Acquires the lock, runs the function's coroutine under it, and releases it. with_lock and
/// take_turns() call it. `result` gets the end of the coroutine. `yields`: a request to yield
/// cancels the coroutine. `release`, if not null: the caller may end the wait for the release
/// early. Throws the coroutine's error, or the loss of the lock.
template <class Executor, acquire_operation Operation, class Function, class Result>
boost::asio::awaitable<void, Executor>
run_under_lock(Operation acquire, Function function, std::shared_ptr<outcome<Result>> result,
               bool yields = false, release_wait* release = nullptr) {
    namespace asio = boost::asio;
    constexpr asio::use_awaitable_t<Executor> use_awaitable{};

    auto lock = co_await std::move(acquire)(with_diagnostics(use_awaitable));
    if (!lock) {
        result->others_hold = true;
        co_return;
    }
    const auto executor = co_await asio::this_coro::executor;
    auto body = [&]() -> asio::awaitable<void, Executor> {
        if constexpr (std::is_void_v<Result>)
            co_await call_under_lock(function, lock);
        else
            result->value.emplace(co_await call_under_lock(function, lock));
    };
    watched_initiation<Executor, decltype(lock), decltype(body)> start{executor, &lock, &body,
                                                                       result, yields};
    // The lock may be lost already, if the thread was busy since the grant. Then the function is
    // not called, and wait_lost() completes soon.
    if (is_over(lock))
        result->loss = std::get<0>(co_await lock.wait_lost(asio::as_tuple(use_awaitable)));
    else
        co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void()>(
            std::move(start), use_awaitable);
    // Releases the lock even if this coroutine was cancelled: until the release has ended, no
    // co_await may throw.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    if (release && release->was_cut_short)
        // The caller gave up before the release began, so its signal reached no operation. It is
        // emitted again after the release has begun. The release completes on the same executor,
        // and so later.
        asio::post(executor, [release] { release->cut_short(); });
    constexpr auto quietly = asio::as_tuple(use_awaitable);
    const auto [released] =
        release
            ? co_await lock.release(asio::bind_cancellation_slot(release->signal.slot(), quietly))
            : co_await lock.release(quietly);
    co_await asio::this_coro::throw_if_cancelled(throws);
    if (!result->loss && released == condition::lock_lost)
        result->loss = released;
    if (result->loss)
        throw_loss(result->loss, result->error);
    if (result->error)
        std::rethrow_exception(result->error);
    // Two codes are no errors here: `not_held`, since the coroutine released the lock by itself,
    // and `unreachable`, since the session logs it.
    const bool caller_left = release && release->was_cut_short;
    if (released && released != error::not_held && released != error::unreachable && !caller_left)
        throw boost::system::system_error(released, "with_lock");
}

template <class Awaitable, bool Tries>
using result_under_lock =
    std::conditional_t<Tries, typename outcome<typename awaited<Awaitable>::type>::tried_type,
                       typename awaited<Awaitable>::type>;

/// Runs run_under_lock() on the executor that `choose_executor` returns for the caller's executor.
/// If others hold the lock, it throws `would_block`, or with `Tries` returns an empty result.
template <class Awaitable, bool Tries, acquire_operation Operation, class Choice, class Function>
boost::asio::awaitable<result_under_lock<Awaitable, Tries>, typename awaited<Awaitable>::executor>
run_elsewhere(Operation acquire, Choice choose_executor, Function function) {
    using executor_type = typename awaited<Awaitable>::executor;
    const auto result = std::make_shared<outcome<typename awaited<Awaitable>::type>>();
    const executor_type here = co_await boost::asio::this_coro::executor;
    auto body = run_under_lock<executor_type>(std::move(acquire), std::move(function), result);
    // The coroutine has the type of its caller's executor, whichever executor was given.
    co_await spawn_on(executor_type(choose_executor(here)), std::move(body),
                      boost::asio::use_awaitable_t<executor_type>{});
    if constexpr (Tries) {
        co_return result->tried();
    } else {
        if (result->others_hold)
            throw boost::system::system_error(error::would_block, "with_lock");
        co_return result->get();
    }
}

/// with_lock calls it: it checks the function's type. (It is not named with_lock as well, since a
/// call would find both: the types of operations are of this namespace.)
template <bool Tries = false, class Operation, class Choice, class Function>
auto start_with_lock(Operation acquire, Choice choose_executor, Function function) {
    using held_type = typename acquired_by<Operation>::type;
    using coroutine = coroutine_under_lock<Function, held_type>;
    constexpr bool fits = requires { typename awaited<coroutine>::type; };
    static_assert(fits, "with_lock needs a function that is called with the held lock, or without "
                        "arguments, and returns an asio::awaitable");
    if constexpr (fits)
        return run_elsewhere<coroutine, Tries>(std::move(acquire), std::move(choose_executor),
                                               std::move(function));
    else
        return boost::asio::awaitable<void>(); // so that the message above is the only error
}

} // namespace turnstile::detail
