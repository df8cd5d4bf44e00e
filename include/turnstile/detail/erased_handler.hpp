// SPDX-License-Identifier: BSL-1.0
// A handler without its type, and the executor to which it is posted.
#pragma once

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace turnstile {
struct diagnostics;
}

namespace turnstile::detail {

/// Executors that can post and keep their context at work. `any_completion_executor` cannot post.
/// The executors of the system context (`use_future` has one) would start threads.
template <class Executor>
concept postable = std::convertible_to<Executor, boost::asio::any_io_executor> &&
    boost::asio::can_query_v<Executor, boost::asio::execution::outstanding_work_t::tracked_t>;

/// A handler without its type. `initiation` makes one for each operation, and pending_operation
/// calls it. Once the type is erased, the handler's executor cannot be made to post: so of() finds
/// the posting executor before. Functions pass this on by reference, since a move has a cost.
template <class Signature>
struct erased_handler {
    boost::asio::any_completion_handler<Signature> handler;
    /// The handler's executor, whose execute() is a post. Empty if that executor cannot post.
    boost::asio::any_io_executor posting{};
    diagnostics* diag = nullptr; // null if the caller asks for no details

    /// Erases the type. `session` is the session's executor, on which a handler without an executor
    /// of its own runs; empty: its context is gone. (It forwards the handler: an
    /// any_completion_handler made from an lvalue would wrap a reference.)
    template <class Handler>
    static erased_handler of(Handler&& handler, const boost::asio::any_io_executor& session,
                             diagnostics* diag) {
        const auto own = boost::asio::get_associated_executor(handler, session);
        boost::asio::any_io_executor posting;
        if constexpr (postable<std::remove_const_t<decltype(own)>>)
            if (session)
                posting = boost::asio::require(boost::asio::any_io_executor(own),
                                               boost::asio::execution::blocking.never);
        return {erased(std::forward<Handler>(handler)), std::move(posting), diag};
    }

private:
    /// Erases the type, and gives std::allocator to a handler without an allocator of its own.
    /// Without that the handler would get blocks of three times the size, which Asio does not
    /// share.
    template <class Handler>
    static boost::asio::any_completion_handler<Signature> erased(Handler&& handler) {
        using none = std::allocator<void>;
        if constexpr (std::is_same_v<
                          boost::asio::associated_allocator_t<std::remove_cvref_t<Handler>>, none>)
            return boost::asio::bind_allocator(none(), std::forward<Handler>(handler));
        else
            return std::forward<Handler>(handler);
    }
};

} // namespace turnstile::detail
