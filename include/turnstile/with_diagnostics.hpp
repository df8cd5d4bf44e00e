// SPDX-License-Identifier: BSL-1.0
// Completion tokens that say more about a failure than its error code.
#pragma once

#include <turnstile/diagnostics.hpp>
#include <turnstile/error.hpp>

#include <boost/asio/associator.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <concepts>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace turnstile {

/// `with_diagnostics` makes it out of a token alone.
template <class Token>
struct with_diagnostics_t {
    Token token{};
};

/// `with_diagnostics` makes it out of an object and a token.
template <class Token>
struct with_diagnostics_in_t {
    diagnostics* diag;
    Token token{};
};

/**
 * @brief Lets an operation of this library fill `diag`.
 *
 *     turnstile::diagnostics diag;
 *     auto [code, lock] = co_await orders.acquire(
 *         turnstile::with_diagnostics(diag, asio::as_tuple(asio::use_awaitable)));
 *
 * `diag` is cleared when the operation starts. It must live until the completion. Read it after
 * that.
 */
template <class Token = boost::asio::deferred_t>
constexpr with_diagnostics_in_t<std::decay_t<Token>> with_diagnostics(diagnostics& diag,
                                                                      Token&& token = Token{}) {
    return {&diag, std::forward<Token>(token)};
}

/**
 * @brief Lets an operation of this library fail with an exception that has the diagnostics.
 *
 * The completion signature becomes `void(std::exception_ptr, ...)`, so a token that throws, such as
 * `use_awaitable` or `use_future`, throws an `error_with_diagnostics`:
 *
 *     auto lock = co_await orders.acquire(turnstile::with_diagnostics());
 *
 * It is a `boost::system::system_error` with the same code. Asio of Boost 1.81 cannot `co_await` a
 * `deferred` operation of such a signature by itself: there, `use_awaitable` does it.
 */
template <class Token = boost::asio::use_awaitable_t<>>
    requires(!std::same_as<std::remove_cvref_t<Token>, diagnostics>)
constexpr with_diagnostics_t<std::decay_t<Token>> with_diagnostics(Token&& token = Token{}) {
    return {std::forward<Token>(token)};
}

namespace detail {

/// The handler of `with_diagnostics_t`: it turns an error into an exception with the diagnostics.
template <class Handler>
struct diagnosing_handler {
    Handler handler;
    std::unique_ptr<diagnostics> own; // null: the caller gave `diag`
    diagnostics* diag;                // the operation fills it

    template <class... Args>
    void operator()(const error_code& code, Args&&... args) {
        std::exception_ptr error;
        if (code)
            error = std::make_exception_ptr(error_with_diagnostics(code, *diag));
        std::move(handler)(std::move(error), std::forward<Args>(args)...);
    }
};

/// The initiation with such a handler. It has the base's executor, which adapters such as
/// `cancel_after` need.
template <class Initiation>
struct diagnosing_initiation : Initiation {
    template <class Handler>
    void operator()(Handler&& handler, diagnostics* diag = nullptr) {
        auto own = diag ? nullptr : std::make_unique<diagnostics>();
        const auto to = diag ? diag : own.get();
        diagnosing_handler<std::decay_t<Handler>> own_handler{std::forward<Handler>(handler),
                                                              std::move(own), to};
        auto& inner = static_cast<Initiation&>(*this);
        if constexpr (std::is_invocable_v<Initiation, decltype(own_handler), diagnostics*>)
            std::move(inner)(std::move(own_handler), to);
        else // an operation that knows no more than its code
            std::move(inner)(std::move(own_handler));
    }
};

} // namespace detail
} // namespace turnstile

namespace boost::asio {

template <class Token, class... Args>
class async_result<turnstile::with_diagnostics_t<Token>, void(turnstile::error_code, Args...)> {
public:
    template <class Initiation, class RawToken, class... InitArgs>
    static auto initiate(Initiation&& initiation, RawToken&& token, InitArgs&&... args)
        -> decltype(async_initiate<std::remove_reference_t<decltype((token.token))>,
                                   void(std::exception_ptr, Args...)>(
            std::declval<turnstile::detail::diagnosing_initiation<std::decay_t<Initiation>>>(),
            token.token, std::forward<InitArgs>(args)...)) {
        return async_initiate<std::remove_reference_t<decltype((token.token))>,
                              void(std::exception_ptr, Args...)>(
            turnstile::detail::diagnosing_initiation<std::decay_t<Initiation>>{
                std::forward<Initiation>(initiation)},
            token.token, std::forward<InitArgs>(args)...);
    }
};

// The operation gets the address as an argument of its initiation.
template <class Token, class Signature>
class async_result<turnstile::with_diagnostics_in_t<Token>, Signature> {
public:
    template <class Initiation, class RawToken, class... InitArgs>
    static auto initiate(Initiation&& initiation, RawToken&& token, InitArgs&&... args)
        -> decltype(async_initiate<std::remove_reference_t<decltype((token.token))>, Signature>(
            std::forward<Initiation>(initiation), token.token, std::forward<InitArgs>(args)...,
            token.diag)) {
        return async_initiate<std::remove_reference_t<decltype((token.token))>, Signature>(
            std::forward<Initiation>(initiation), token.token, std::forward<InitArgs>(args)...,
            token.diag);
    }
};

template <template <class, class> class Associator, class Handler, class Default>
struct associator<Associator, turnstile::detail::diagnosing_handler<Handler>, Default>
    : Associator<Handler, Default> {
    static auto get(const turnstile::detail::diagnosing_handler<Handler>& from) noexcept {
        return Associator<Handler, Default>::get(from.handler);
    }
    static auto get(const turnstile::detail::diagnosing_handler<Handler>& from,
                    const Default& otherwise) noexcept {
        return Associator<Handler, Default>::get(from.handler, otherwise);
    }
};

} // namespace boost::asio
