// Carries a started operation from a thin template into compiled code.
#pragma once

#include <turnstile/error.hpp>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/require.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

/// Whether there is always an owner, or the operation may be of an empty held_lock.
enum class ownership { sure, optional };

/// `Start` takes the owner and the type-erased handler. The executor lets adapters such as
/// `cancel_after` find a context for their timer.
template <ownership Ownership, class Owner, class Signature, class Start>
struct initiation {
    using executor_type = boost::asio::any_io_executor;

    std::shared_ptr<Owner> owner;
    executor_type executor;
    Start start;

    executor_type get_executor() const noexcept { return executor; }

    // By forwarding: an any_completion_handler made from an lvalue would wrap a reference.
    template <class Handler>
    void operator()(Handler&& handler) const {
        if constexpr (Ownership == ownership::optional)
            if (!owner)
                return complete_not_held(std::forward<Handler>(handler));
        start(owner,
              boost::asio::any_completion_handler<Signature>(std::forward<Handler>(handler)));
    }

    // There is no session whose executor could be used, only the handler's own. It is known here,
    // before the handler is type-erased.
    template <class Handler>
    void complete_not_held(Handler&& handler) const {
        const auto own = boost::asio::get_associated_executor(handler, executor);
        const auto complete = [&](const auto& on) {
            boost::asio::post(on, boost::asio::append(std::forward<Handler>(handler),
                                                      error_code(error::not_held)));
        };
        // The executor of an any_completion_handler cannot post; it is passed through at the end.
        if constexpr (boost::asio::can_require_v<decltype(own),
                                                 boost::asio::execution::blocking_t::never_t>)
            complete(own);
        else
            complete(executor);
    }
};

template <class Signature, class Token, ownership Ownership = ownership::sure, class Owner,
          class Start>
auto initiate(std::shared_ptr<Owner> owner, boost::asio::any_io_executor executor, Start start,
              std::remove_reference_t<Token>& token) {
    return boost::asio::async_initiate<Token, Signature>(
        initiation<Ownership, Owner, Signature, Start>{std::move(owner), std::move(executor),
                                                       std::move(start)},
        token);
}

} // namespace turnstile::detail
