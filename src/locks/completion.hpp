// How an operation ends: once, on its handler's executor, never inline.
#pragma once

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/associator.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <new>
#include <tuple>
#include <utility>

namespace turnstile::detail {

/// A handler with its arguments, which passes on the handler's executor and allocator. What is in
/// its cancellation slot stays there: another operation of a parallel group may be emitting to it
/// on another thread, and an operation that is over is cancelled in vain.
template <class... Args>
struct bound_completion {
    using handler_type = boost::asio::any_completion_handler<void(Args...)>;

    using executor_type = boost::asio::any_completion_executor;

    handler_type handler;
    std::tuple<Args...> arguments;
    executor_type executor; // the handler's, asked for once

    executor_type get_executor() const noexcept { return executor; }

    void operator()() {
        std::apply(
            [this](auto&&... values) {
                std::move(handler)(std::forward<decltype(values)>(values)...);
            },
            std::move(arguments));
    }
};

/// An operation in progress: its handler, and outstanding work on the handler's executor, without
/// which a context that only awaits us would return early.
template <class... Args>
class pending_operation {
public:
    using handler_type = boost::asio::any_completion_handler<void(Args...)>;

    pending_operation(handler_type handler, const boost::asio::any_io_executor& executor)
        : work_(work_of(handler, executor)), handler_(std::move(handler)) {}

    void complete(const boost::asio::any_io_executor& executor, Args... arguments) && {
        boost::asio::post(executor,
                          bound_completion<Args...>{std::move(handler_),
                                                    std::tuple<Args...>(std::move(arguments)...),
                                                    std::move(work_)});
    }

private:
    static boost::asio::any_completion_executor
    work_of(const handler_type& handler, const boost::asio::any_io_executor& executor) {
        const auto own = boost::asio::get_associated_executor(
            handler, boost::asio::any_completion_executor(executor));
        if (!own) // so it is told that there was no memory
            throw std::bad_alloc();
        return boost::asio::prefer(own, boost::asio::execution::outstanding_work.tracked);
    }

    boost::asio::any_completion_executor work_;
    handler_type handler_;
};

} // namespace turnstile::detail

namespace boost::asio {

template <template <class, class> class Associator, class... Args, class Default>
struct associator<Associator, turnstile::detail::bound_completion<Args...>, Default>
    : Associator<typename turnstile::detail::bound_completion<Args...>::handler_type, Default> {
    using base =
        Associator<typename turnstile::detail::bound_completion<Args...>::handler_type, Default>;

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

} // namespace boost::asio
