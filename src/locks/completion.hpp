// SPDX-License-Identifier: BSL-1.0
// How an operation ends: once, on its handler's executor, never inline.
#pragma once

#include "locks/grant_turn.hpp"
#include "locks/home_executor.hpp"
#include "locks/lock_state.hpp"

#include <turnstile/detail/erased_handler.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
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
        [[maybe_unused]] const grant_turn turn(granted());
        std::apply(
            [this](auto&&... values) {
                std::move(handler)(std::forward<decltype(values)>(values)...);
            },
            std::move(arguments));
    }

private:
    const lock_state* granted() const {
        if constexpr ((std::is_same_v<Args, held_lock> || ...))
            return lock_state::of(std::get<held_lock>(arguments));
        else
            return nullptr;
    }
};

/// One whose handler's executor cannot post: it takes the way over the session's, which can.
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
    using handler_type = erased_handler<void(Args...)>;

    pending_operation(handler_type&& from, const home_executor& home)
        : handler_(std::move(from.handler)), told_(from.told) {
        if (from.where == handler_type::home::session) {
            work_.template emplace<home_work>(home.work);
            return;
        }
        if (from.where == handler_type::home::own) {
            work_ = std::make_unique<posting_work>(posting_work{work_on(from.posting)});
            return;
        }
        const auto own = boost::asio::get_associated_executor(handler_, home.erased);
        if (!own) // so it is told that there was no memory
            throw std::bad_alloc();
        if (own == home.erased)
            work_.template emplace<home_work>(home.work);
        else
            work_ = std::make_unique<own_work>(own_work{work_on(own)});
    }

    /// To be filled before complete() where it fails; null where nobody asks.
    diagnostics* told() const { return told_; }

    template <class... Results>
    void complete(const home_executor& home, Results&&... results) && {
        bound_completion<Args...> bound{std::move(handler_),
                                        std::tuple<Args...>(std::forward<Results>(results)...)};
        // The work ends with the completion, or with this object after the post has taken over.
        if (auto* const posting = std::get_if<std::unique_ptr<posting_work>>(&work_))
            (*posting)->on.execute(std::move(bound));
        else if (auto* const own = std::get_if<std::unique_ptr<own_work>>(&work_))
            boost::asio::post(home.plain, dispatched_completion<Args...>{std::move(bound),
                                                                         std::move((*own)->on)});
        else
            home.posting.execute(std::move(bound));
    }

private:
    using home_work = work_keeper::entry;
    struct posting_work { // on the handler's own executor, whose execute() is a post
        boost::asio::any_io_executor on;
    };
    struct own_work { // one that may run things at once
        boost::asio::any_completion_executor on;
    };

    template <class Executor>
    static auto work_on(const Executor& where) {
        return boost::asio::prefer(where, boost::asio::execution::outstanding_work.tracked);
    }

    boost::asio::any_completion_handler<void(Args...)> handler_;
    diagnostics* told_;
    // Whoever waits in line is nearly always at home: the others' executors take 60 bytes.
    std::variant<std::monostate, home_work, std::unique_ptr<posting_work>,
                 std::unique_ptr<own_work>>
        work_;
};

} // namespace turnstile::detail
