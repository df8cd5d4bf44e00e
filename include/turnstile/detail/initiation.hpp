// SPDX-License-Identifier: BSL-1.0
// Carries a started operation from a thin template into compiled code.
#pragma once

#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/append.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace turnstile::detail {

/// Whether an operation has an owner. `optional`: an empty held_lock has none, and its operations
/// fail with `error::not_held`.
enum class ownership { sure, optional };
/// The operations that held_lock starts. `loss` and `risk_of_loss` wait for these events.
enum class lock_operation : std::uint8_t { release, downgrade, upgrade, loss, risk_of_loss };

struct lock_object;
class lock_state;
class multi_object;
class session_impl;
/// The session's executor. A handler without an executor of its own runs there.
TURNSTILE_API const boost::asio::any_io_executor& executor_of(const lock_object& owner) noexcept;
TURNSTILE_API const boost::asio::any_io_executor& executor_of(const lock_state& owner) noexcept;
TURNSTILE_API const boost::asio::any_io_executor& executor_of(const multi_object& owner) noexcept;
TURNSTILE_API const boost::asio::any_io_executor& executor_of(const session_impl& owner) noexcept;

/// The executor of a handler that has none, if there is no session either.
struct inline_executor {
    template <class Function>
    void execute(Function&& function) const {
        std::forward<Function>(function)();
    }
    bool operator==(const inline_executor&) const noexcept = default;
};

/// The initiation of each operation. It erases the handler's type, and calls `Start` with the owner
/// and the handler. Its executor lets adapters such as `cancel_after` find a context for their
/// timer. `with_diagnostics` adds the address of an object.
template <ownership Ownership, class Owner, class Signature, class Start>
struct initiation {
    using executor_type = boost::asio::any_io_executor;

    std::shared_ptr<Owner> owner;
    Start start;

    // The executor is no member: it would take 56 bytes of each coroutine that waits.
    executor_type get_executor() const noexcept {
        return owner ? executor_of(*owner) : executor_type();
    }

    template <class Handler>
    void operator()(Handler&& handler, diagnostics* diag = nullptr) const {
        if (diag)
            diag->clear();
        if constexpr (Ownership == ownership::optional)
            if (!owner)
                return complete_not_held(std::forward<Handler>(handler),
                                         std::type_identity<Signature>());
        start(owner, erased_handler<Signature>::of(std::forward<Handler>(handler),
                                                   executor_of(*owner), diag));
    }

    // There is no owner. The handler is not type-erased yet: after that it could not be posted.
    template <class Handler, class... Results>
    static void complete_not_held(Handler&& handler,
                                  std::type_identity<void(error_code, Results...)>) {
        const auto own = boost::asio::get_associated_executor(handler, inline_executor());
        auto completion = boost::asio::append(std::forward<Handler>(handler),
                                              error_code(error::not_held), Results()...);
        if constexpr (postable<std::remove_const_t<decltype(own)>>)
            boost::asio::post(own, std::move(completion));
        else
            boost::asio::dispatch(own, std::move(completion));
    }
};

/// Starts an operation: `start` is called with the owner, `args` and the handler.
template <class Signature, class Token, ownership Ownership = ownership::sure, class Owner,
          class Start, class... Args>
auto initiate(std::shared_ptr<Owner> owner, Start start, std::remove_reference_t<Token>& token,
              Args... args) {
    auto bound = [start, ... args = std::move(args)](const auto& of, auto&& handler) {
        start(of, args..., std::forward<decltype(handler)>(handler));
    };
    return boost::asio::async_initiate<Token, Signature>(
        initiation<Ownership, Owner, Signature, decltype(bound)>{std::move(owner),
                                                                 std::move(bound)},
        token);
}

} // namespace turnstile::detail
