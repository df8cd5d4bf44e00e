// SPDX-License-Identifier: BSL-1.0
// How an operation ends: once, on its handler's executor, never inline.
#pragma once

#include "session/lock_state.hpp"

#include <turnstile/detail/erased_handler.hpp>

#include <boost/asio/any_completion_executor.hpp>
#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/require.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

/// A handler with its arguments. Its allocator has no part in the post: no type-erased executor
/// takes one. What is in its cancellation slot stays there: another operation of a parallel group
/// may be emitting to it on another thread, and an operation that is over is cancelled in vain.
template <class... Args>
struct bound_completion {
    boost::asio::any_completion_handler<void(Args...)> handler;
    std::tuple<Args...> arguments;

    void operator()() {
        [[maybe_unused]] grant_turn turn(granted());
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

/// Calls `cancel` with the owner, if that is still there, where the handler's operation is
/// cancelled. That may also be when the operation is over.
template <class Signature, class Owner, class Cancel>
void on_cancellation(const erased_handler<Signature>& of, std::weak_ptr<Owner> owner,
                     Cancel cancel) {
    auto slot = boost::asio::get_associated_cancellation_slot(of.handler);
    if (slot.is_connected())
        slot.assign([owner = std::move(owner), cancel](boost::asio::cancellation_type_t type) {
            const auto self = owner.lock();
            if (self && type != boost::asio::cancellation_type::none)
                cancel(*self);
        });
}

/// An operation in progress: its handler, and outstanding work on the handler's executor, without
/// which a context that only awaits us would return early.
template <class... Args>
class pending_operation {
public:
    using handler_type = erased_handler<void(Args...)>;

    pending_operation(handler_type&& from, const boost::asio::any_io_executor& session)
        : handler_(std::move(from.handler)), diag_(from.diag) {
        if (from.posting) {
            where_ = kept_at_work(from.posting);
            return;
        }
        where_ =
            kept_at_work(boost::asio::require(session, boost::asio::execution::blocking.never));
        own_ = std::make_unique<own_executor>(
            kept_at_work(boost::asio::get_associated_executor(handler_, own_executor(session))));
    }

    /// To be filled before complete() where it fails; null where no details are asked for.
    diagnostics* diag() const { return diag_; }

    template <class... Results>
    void complete(Results&&... results) && {
        bound_completion<Args...> bound{std::move(handler_),
                                        std::tuple<Args...>(std::forward<Results>(results)...)};
        // The work ends with the completion, or with this object after the post has taken over.
        if (!own_)
            where_.execute(std::move(bound));
        else
            where_.execute([bound = std::move(bound), own = std::move(own_)]() mutable {
                const auto to = std::move(*own);
                to.execute(std::move(bound));
            });
    }

private:
    using own_executor = boost::asio::any_completion_executor;

    template <class Executor>
    static Executor kept_at_work(const Executor& where) {
        return boost::asio::prefer(where, boost::asio::execution::outstanding_work.tracked);
    }

    boost::asio::any_completion_handler<void(Args...)> handler_;
    diagnostics* diag_;
    boost::asio::any_io_executor where_; // whose execute() is a post
    // That of a handler that cannot be posted: it takes the way over the session's, which can.
    std::unique_ptr<own_executor> own_{};
};

} // namespace turnstile::detail
