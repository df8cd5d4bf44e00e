// SPDX-License-Identifier: BSL-1.0
// A coroutine on another executor than its caller's, with a safe way to cancel it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <concepts>
#include <exception>
#include <memory>
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

} // namespace turnstile::detail
