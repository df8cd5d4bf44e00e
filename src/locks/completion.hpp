// How an operation ends: once, on its handler's executor, never inline.
#pragma once

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <new>
#include <tuple>
#include <utility>

namespace turnstile::detail {

/// A handler with its arguments, which passes on the handler's allocator. What is in its
/// cancellation slot stays there: another operation of a parallel group may be emitting to it on
/// another thread, and an operation that is over is cancelled in vain.
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

    pending_operation(handler_type handler, const boost::asio::any_io_executor& executor)
        : pending_operation(std::move(handler), boost::asio::any_completion_executor(executor)) {}

    void complete(const boost::asio::any_io_executor& executor, Args... arguments) && {
        bound_completion<Args...> bound{std::move(handler_),
                                        std::tuple<Args...>(std::move(arguments)...)};
        // The work ends with the completion, or with this object after the post has taken over.
        if (dispatched_)
            boost::asio::post(executor,
                              dispatched_completion<Args...>{std::move(bound), std::move(work_)});
        else
            boost::asio::post(executor, std::move(bound));
    }

private:
    using any_executor = boost::asio::any_completion_executor;

    pending_operation(handler_type&& handler, const any_executor& ours)
        : pending_operation(std::move(handler), ours,
                            boost::asio::get_associated_executor(handler, ours)) {}
    pending_operation(handler_type&& handler, const any_executor& ours, const any_executor& own)
        : work_(work_on(own)), handler_(std::move(handler)), dispatched_(own != ours) {}

    static any_executor work_on(const any_executor& own) {
        if (!own) // so it is told that there was no memory
            throw std::bad_alloc();
        return boost::asio::prefer(own, boost::asio::execution::outstanding_work.tracked);
    }

    any_executor work_;
    handler_type handler_;
    bool dispatched_; // the handler has an executor of its own
};

} // namespace turnstile::detail

namespace boost::asio {

template <class... Args, class Default>
struct associator<associated_allocator, turnstile::detail::bound_completion<Args...>, Default>
    : associated_allocator<typename turnstile::detail::bound_completion<Args...>::handler_type,
                           Default> {
    using base =
        associated_allocator<typename turnstile::detail::bound_completion<Args...>::handler_type,
                             Default>;

    static typename base::type
    get(const turnstile::detail::bound_completion<Args...>& completion) noexcept {
        return base::get(completion.handler);
    }
    static auto get(const turnstile::detail::bound_completion<Args...>& completion,
                    const Default& fallback) noexcept
        -> decltype(base::get(completion.handler, fallback)) {
        return base::get(completion.handler, fallback);
    }
};

template <class... Args, class Default>
struct associator<associated_allocator, turnstile::detail::dispatched_completion<Args...>, Default>
    : associator<associated_allocator, turnstile::detail::bound_completion<Args...>, Default> {
    using base =
        associator<associated_allocator, turnstile::detail::bound_completion<Args...>, Default>;

    static typename base::type
    get(const turnstile::detail::dispatched_completion<Args...>& completion) noexcept {
        return base::get(completion.bound);
    }
    static auto get(const turnstile::detail::dispatched_completion<Args...>& completion,
                    const Default& fallback) noexcept
        -> decltype(base::get(completion.bound, fallback)) {
        return base::get(completion.bound, fallback);
    }
};

} // namespace boost::asio
