// SPDX-License-Identifier: BSL-1.0
// How an operation completes: once, on its handler's executor, never inline.
#pragma once

#include "session/locks/lock_state.hpp"

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

/// A handler with its arguments, to be posted. The handler's allocator is not used for the post: no
/// type-erased executor takes one. The cancellation slot is not cleared: a parallel group may be
/// emitting to it on another thread. A cancellation that comes too late finds no operation.
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
    /// The lock that the handler is called with, or null: grant_turn finds out whether the handler
    /// drops it.
    const lock_state* granted() const {
        if constexpr ((std::is_same_v<Args, held_lock> || ...))
            return lock_state::of(std::get<held_lock>(arguments));
        else
            return nullptr;
    }
};

/// Whether an operation may have its effect although it is cancelled.
enum class effect : std::uint8_t {
    none,      // it has no effect, and accepts all types of cancellation
    when_sent, // it may have its effect once its request was sent: then it accepts `terminal` alone
    sure       // it has its effect in any case: it accepts `terminal` alone, which ends the wait
};

inline bool is_terminal(boost::asio::cancellation_type_t type) {
    using boost::asio::cancellation_type;
    return (type & cancellation_type::terminal) != cancellation_type::none;
}

/// When the handler's operation is cancelled, calls `cancel` with the owner and the type of the
/// cancellation. Does nothing if the owner is gone. The operation may be over by then.
template <class Signature, class Owner, class Cancel>
void on_cancellation(const erased_handler<Signature>& of, std::weak_ptr<Owner> owner,
                     Cancel cancel) {
    auto slot = boost::asio::get_associated_cancellation_slot(of.handler);
    if (slot.is_connected())
        slot.assign([owner = std::move(owner), cancel](boost::asio::cancellation_type_t type) {
            const auto self = owner.lock();
            if (self && type != boost::asio::cancellation_type::none)
                cancel(*self, type);
        });
}

/// An operation in progress: its handler, and outstanding work on the handler's executor. Without
/// this work the run() of a context that has nothing else to do would return too early. A session,
/// or one of its tables, owns it until complete() is called.
///
/// The handler has to be posted, and never runs inline. If its executor can post
/// (erased_handler::posting), complete() does one post there. If not, it posts to the session's
/// executor, and from there executes the handler on its own one.
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
        unpostable_ = std::make_unique<own_executor>(
            kept_at_work(boost::asio::get_associated_executor(handler_, own_executor(session))));
    }

    /// To be filled before complete() if the operation fails; null if no details are asked for.
    diagnostics* diag() const { return diag_; }

    /// Posts the handler with these results.
    template <class... Results>
    void complete(Results&&... results) && {
        bound_completion<Args...> bound{std::move(handler_),
                                        std::tuple<Args...>(std::forward<Results>(results)...)};
        // The outstanding work of `where_` ends with this object, and that of `unpostable_` with
        // the lambda below. By then the post itself keeps the context at work.
        if (!unpostable_)
            where_.execute(std::move(bound));
        else
            where_.execute([bound = std::move(bound), own = std::move(unpostable_)]() mutable {
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
    boost::asio::any_io_executor where_; // the handler's or the session's; its execute() is a post
    // The handler's executor if that cannot post. Null otherwise.
    std::unique_ptr<own_executor> unpostable_{};
};

} // namespace turnstile::detail
