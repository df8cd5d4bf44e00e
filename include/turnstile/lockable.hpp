// SPDX-License-Identifier: BSL-1.0
// The concepts of locks, and of the operations that acquire them.
#pragma once

#include <turnstile/error.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <concepts>

namespace turnstile {

namespace detail {

// The type of lock with which a deferred acquire completes.
template <class Signature>
struct held_in {};
template <class Held>
struct held_in<void(error_code, Held)> {
    using type = Held;
};
template <class Operation>
struct acquired_by {};
template <class Operation>
    requires(boost::asio::is_async_operation<Operation>::value)
struct acquired_by<Operation>
    : held_in<typename boost::asio::completion_signature_of<Operation>::type> {};

/// What an acquire gives: `held_lock` or a type like it.
template <class Held>
concept held = std::movable<Held> && requires(Held& lock) {
    lock.wait_lost(boost::asio::deferred);
    lock.release(boost::asio::deferred);
};

} // namespace detail

/// An operation that was not started yet, and completes with a held lock. `acquire` and its other
/// forms return it with the token `deferred`, which is their default.
template <class Operation>
concept acquire_operation = detail::held<typename detail::acquired_by<Operation>::type>;

/// A lock object of any kind, or a view.
template <class Lock>
concept lockable = requires(Lock& lock) {
    { lock.acquire(boost::asio::deferred) } -> acquire_operation;
};

} // namespace turnstile
