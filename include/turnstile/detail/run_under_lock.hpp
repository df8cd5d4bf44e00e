// SPDX-License-Identifier: BSL-1.0
// The coroutine behind with_lock.
#pragma once

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
#include <boost/asio/strand.hpp>
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

namespace turnstile::detail {

/// Only the type-erased executor, which is Asio's default, can hold a strand over itself.
struct own_strand {
    template <class Executor>
    Executor operator()(const Executor& over) const {
        if constexpr (std::same_as<Executor, boost::asio::any_io_executor>)
            return boost::asio::make_strand(over);
        else
            return over;
    }
};

/// How a coroutine elsewhere is cancelled. Used on its executor alone.
struct spawned {
    boost::asio::cancellation_signal cancel;
    bool over = false;
};

/// co_spawn, but a cancellation from another thread reaches the coroutine on its own executor, and
/// not after its end. (Asio's own hands over a pointer that the end of the coroutine leaves
/// dangling.)
template <class Executor>
struct spawn_initiation {
    using executor_type = Executor;

    Executor where;
    Executor get_executor() const noexcept { return where; }

    template <class Handler>
    void operator()(Handler&& handler, boost::asio::awaitable<void, Executor> body) const {
        namespace asio = boost::asio;
        const auto state = std::make_shared<spawned>();
        if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
            slot.assign([state, where = where](asio::cancellation_type_t) {
                asio::post(where, [state] { // whichever type the caller lets through
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

template <class Executor, class Token>
auto spawn_on(const Executor& where, boost::asio::awaitable<void, Executor> body, Token token) {
    return boost::asio::async_initiate<Token, void(std::exception_ptr)>(
        spawn_initiation<Executor>{where}, token, std::move(body));
}

template <class T>
struct awaited {};
template <class T, class Executor>
struct awaited<boost::asio::awaitable<T, Executor>> {
    using type = T;
    using executor = Executor;
};

// How the coroutine ended.
struct ending {
    std::exception_ptr error;
    error_code loss;
    bool taken = false;   // others have the lock: the coroutine was not called
    bool yielded = false; // it was cancelled since another asked for the lock
};
/// Ends the wait for a release, which goes on.
struct haste {
    bool is_great = false;
    boost::asio::cancellation_signal wait{};

    void stop_waiting() {
        is_great = true;
        wait.emit(boost::asio::cancellation_type::terminal);
    }
};
// What it came to; a T exists only where it returned.
template <class T>
struct outcome : ending {
    using attempt = std::optional<T>;
    std::optional<T> value;
    T get() { return std::move(*value); }
    attempt tried() { return std::move(value); }
};
template <>
struct outcome<void> : ending {
    using attempt = bool;
    void get() {}
    attempt tried() const { return !taken; }
};

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

// With what the coroutine threw, unless that was its cancellation.
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

template <class Held>
concept can_yield = requires(Held& lock) {
    lock.wait_yield(boost::asio::deferred);
};

/// The coroutine under a lock, and what cancels it: its caller, a loss, a request to yield. Each of
/// them does so, also after another: a coroutine that takes its time to end is told of a loss.
/// (Asio's parallel_group passes on the first cancellation alone.) Used on one executor.
template <class Handler>
struct watched {
    Handler handler;
    std::shared_ptr<ending> done;
    int open; // so many of the three are under way
    bool over = false;
    boost::asio::cancellation_signal body{};
    boost::asio::cancellation_signal loss{};
    boost::asio::cancellation_signal request{};

    void cancel(boost::asio::cancellation_type_t type) {
        if (!over)
            body.emit(type);
    }
    void ended(std::exception_ptr error) {
        over = true;
        done->error = std::move(error);
        loss.emit(boost::asio::cancellation_type::all);
        request.emit(boost::asio::cancellation_type::all);
        close();
    }
    // The wait for the loss also ends where the coroutine releases the lock itself, and the
    // coroutine may go on then. A loss counts also where it came in the same turn as the end.
    void lost(const error_code& reason) {
        if (reason == condition::lock_lost) {
            done->loss = reason;
            cancel(boost::asio::cancellation_type::all);
        }
        close();
    }
    void asked(const error_code& failure) {
        if (!failure && !over) {
            done->yielded = true;
            cancel(boost::asio::cancellation_type::all);
        }
        close();
    }
    void close() {
        if (--open == 0) {
            auto last = std::move(handler); // it may end what keeps this object
            std::move(last)();
        }
    }
};

/// Completes with `done` when all of it is over. `Body` is called once; it and the lock live until
/// then.
template <class Executor, class Held, class Body>
struct watched_initiation {
    Executor where;
    Held* lock;
    Body* body;
    std::shared_ptr<ending> done;
    bool yields;

    template <class Handler>
    void operator()(Handler&& handler) const {
        namespace asio = boost::asio;
        const auto on = [this](asio::cancellation_signal& stop, auto then) {
            return asio::bind_cancellation_slot(stop.slot(),
                                                asio::bind_executor(where, std::move(then)));
        };
        auto slot = asio::get_associated_cancellation_slot(handler);
        const bool asks = can_yield<Held> && yields;
        const auto all = std::make_shared<watched<std::decay_t<Handler>>>(
            std::forward<Handler>(handler), done, asks ? 3 : 2);
        if (slot.is_connected())
            slot.assign([weak = std::weak_ptr(all)](asio::cancellation_type_t type) {
                if (const auto still = weak.lock())
                    still->cancel(type);
            });
        // The waits first, since they never complete within their call.
        lock->wait_lost(on(all->loss, [all](const error_code& reason) { all->lost(reason); }));
        if constexpr (can_yield<Held>)
            if (asks)
                lock->wait_yield(on(all->request, [all](const error_code& failure, const auto&) {
                    all->asked(failure);
                }));
        asio::co_spawn(where, (*body)(), on(all->body, [all](std::exception_ptr error) {
                           all->ended(std::move(error));
                       }));
    }
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

template <class Executor, acquire_operation Operation, class Function, class Result>
boost::asio::awaitable<void, Executor> run_under_lock(Operation acquire, Function function,
                                                      std::shared_ptr<outcome<Result>> done,
                                                      bool yields = false, haste* hurry = nullptr) {
    namespace asio = boost::asio;
    constexpr asio::use_awaitable_t<Executor> use_awaitable{};

    auto lock = co_await std::move(acquire)(with_diagnostics(use_awaitable));
    if (!lock) {
        done->taken = true;
        co_return;
    }
    const auto executor = co_await asio::this_coro::executor;
    auto run = [&]() -> asio::awaitable<void, Executor> {
        if constexpr (std::is_void_v<Result>)
            co_await call_under_lock(function, lock);
        else
            done->value.emplace(co_await call_under_lock(function, lock));
    };
    watched_initiation<Executor, decltype(lock), decltype(run)> start{executor, &lock, &run, done,
                                                                      yields};
    co_await asio::async_initiate<const asio::use_awaitable_t<Executor>, void()>(std::move(start),
                                                                                 use_awaitable);
    // A cancelled coroutine could not await the release otherwise.
    const bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(false);
    if (hurry && hurry->is_great)
        asio::post(executor, [hurry] { hurry->stop_waiting(); }); // once the release is begun
    constexpr auto quietly = asio::as_tuple(use_awaitable);
    const auto [released] =
        hurry ? co_await lock.release(asio::bind_cancellation_slot(hurry->wait.slot(), quietly))
              : co_await lock.release(quietly);
    co_await asio::this_coro::throw_if_cancelled(throws);
    if (!done->loss && released == condition::lock_lost)
        done->loss = released;
    if (done->loss)
        throw_loss(done->loss, done->error);
    if (done->error)
        std::rethrow_exception(done->error);
    // Not held: the coroutine released it. Unreachable: the session's log says so.
    const bool left = hurry && hurry->is_great;
    if (released && released != error::not_held && released != error::unreachable && !left)
        throw boost::system::system_error(released, "with_lock");
}

template <class Awaitable, bool Tries>
using result_under_lock =
    std::conditional_t<Tries, typename outcome<typename awaited<Awaitable>::type>::attempt,
                       typename awaited<Awaitable>::type>;

/// `where` is asked for the executor to run on, on that of the caller. `Tries`: that others have
/// the lock is a result, and no error.
template <class Awaitable, bool Tries, acquire_operation Operation, class Where, class Function>
boost::asio::awaitable<result_under_lock<Awaitable, Tries>, typename awaited<Awaitable>::executor>
run_elsewhere(Operation acquire, Where where, Function function) {
    using executor_type = typename awaited<Awaitable>::executor;
    const auto done = std::make_shared<outcome<typename awaited<Awaitable>::type>>();
    const executor_type here = co_await boost::asio::this_coro::executor;
    auto body = run_under_lock<executor_type>(std::move(acquire), std::move(function), done);
    // Whichever executor was given: the coroutine has the type of its caller's.
    co_await spawn_on(executor_type(where(here)), std::move(body),
                      boost::asio::use_awaitable_t<executor_type>{});
    if constexpr (Tries) {
        co_return done->tried();
    } else {
        if (done->taken)
            throw boost::system::system_error(error::would_block, "with_lock");
        co_return done->get();
    }
}

// A name of its own: an operation's type is of this namespace, which would be searched too.
template <bool Tries = false, class Operation, class Where, class Function>
auto start_with_lock(Operation acquire, Where where, Function function) {
    using held_type = typename acquired_by<Operation>::type;
    using coroutine = coroutine_under_lock<Function, held_type>;
    constexpr bool fits = requires { typename awaited<coroutine>::type; };
    static_assert(fits, "with_lock needs a function that is called with the held lock, or without "
                        "arguments, and returns an asio::awaitable");
    if constexpr (fits)
        return run_elsewhere<coroutine, Tries>(std::move(acquire), std::move(where),
                                               std::move(function));
    else
        return boost::asio::awaitable<void>(); // so that the sentence above stays the only error
}

} // namespace turnstile::detail
