// How an operation ends: once, on its handler's executor, never inline.
#pragma once

#include "locks/home_executor.hpp"

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <new>
#include <tuple>
#include <utility>
#include <variant>

namespace turnstile::detail {

/// A handler with its arguments. Its allocator has no part in the post: no type-erased executor
/// takes one. What is in its cancellation slot stays there: another operation of a parallel group
/// may be emitting to it on another thread, and an operation that is over is cancelled in vain.
template <class... Args>
struct bound_completion {
    using handler_type = boost::asio::any_completion_handler<void(Args...)>;

    handler_type handler;
    std::tuple<Args...> arguments;

    void operator()() {
        std::apply(
            [this](auto&&... values) {
                std::move(handler)(std::forward<decltype(values)>(values)...);
            },
            std::move(arguments));
    }
};

/// One whose handler has an executor of its own.
template <class... Args>
struct dispatched_completion {
    using executor_type = boost::asio::any_completion_executor;

    bound_completion<Args...> bound;
    executor_type executor; // asked for once

    executor_type get_executor() const noexcept { return executor; }
    void operator()() { bound(); }
};

/// An operation in progress: its handler, and outstanding work on the handler's executor, without
/// which a context that only awaits us would return early.
template <class... Args>
class pending_operation {
public:
    using handler_type = boost::asio::any_completion_handler<void(Args...)>;

    pending_operation(handler_type handler, const home_executor& home)
        : handler_(std::move(handler)) {
        const auto own = boost::asio::get_associated_executor(handler_, home.erased);
        if (!own) // so it is told that there was no memory
            throw std::bad_alloc();
        if (own == home.erased)
            work_.template emplace<home_work>(work_on(home.plain));
        else
            work_.template emplace<own_work>(work_on(own));
    }

    void complete(const home_executor& home, Args... arguments) && {
        bound_completion<Args...> bound{std::move(handler_),
                                        std::tuple<Args...>(std::move(arguments)...)};
        // The work ends with the completion, or with this object after the post has taken over.
        if (auto* const own = std::get_if<own_work>(&work_))
            boost::asio::post(home.plain,
                              dispatched_completion<Args...>{std::move(bound), std::move(*own)});
        else
            home.posting.execute(std::move(bound));
    }

private:
    using home_work = boost::asio::any_io_executor;
    using own_work = boost::asio::any_completion_executor; // the handler has an executor of its own

    template <class Executor>
    static Executor work_on(const Executor& where) {
        return boost::asio::prefer(where, boost::asio::execution::outstanding_work.tracked);
    }

    handler_type handler_;
    std::variant<home_work, own_work> work_;
};

} // namespace turnstile::detail
