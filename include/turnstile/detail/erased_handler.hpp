// SPDX-License-Identifier: BSL-1.0
// A handler without its type, and where it is to be posted to.
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

/// Executors that can post and keep their context at work. Not `any_completion_executor`, which
/// cannot post, nor those of the system context (`use_future` has one), which would start threads.
template <class Executor>
concept postable = std::convertible_to<Executor, boost::asio::any_io_executor> &&
    boost::asio::can_query_v<Executor, boost::asio::execution::outstanding_work_t::tracked_t>;

/// A type-erased handler's executor cannot be told to post. So this is found out before the
/// erasure. On its way down it is handed on by reference: to move it is not for nothing.
template <class Signature>
struct erased_handler {
    enum class home {
        unknown, // whatever the handler's executor is, it may run things at once
        session, // the session's executor
        own,     // `posting`
    };

    boost::asio::any_completion_handler<Signature> handler;
    home where = home::unknown;
    boost::asio::any_io_executor posting{}; // whose execute() is a post
    diagnostics* told = nullptr;            // of whoever asks for more than a code

    // By forwarding: an any_completion_handler made from an lvalue would wrap a reference.
    template <class Handler>
    static erased_handler of(Handler&& handler, const boost::asio::any_io_executor& session,
                             diagnostics* told) {
        const auto own = boost::asio::get_associated_executor(handler, session);
        if constexpr (postable<std::remove_const_t<decltype(own)>>) {
            const boost::asio::any_io_executor& found = own;
            if (found == session)
                return {erased(std::forward<Handler>(handler)), home::session, {}, told};
            auto posting = boost::asio::require(found, boost::asio::execution::blocking.never);
            return {erased(std::forward<Handler>(handler)), home::own, std::move(posting), told};
        } else {
            return {erased(std::forward<Handler>(handler)), home::unknown, {}, told};
        }
    }

private:
    /// Without an allocator of its own, a handler would get what Asio keeps from other operations:
    /// blocks of three times the size, for as long as it waits in line.
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
