// SPDX-License-Identifier: BSL-1.0
// The layer below the sessions of an execution context, which the test kit replaces.
#pragma once

#include "zookeeper/session_port.hpp"

#include <turnstile/detail/export.hpp>
#include <turnstile/lease_clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace turnstile::detail {

/// The timer of one session. All members are called on the session's strand.
class session_timer {
public:
    virtual ~session_timer() = default;
    /// Makes the timer due once, at this instant or earlier, and not at an instant set before.
    /// `owner` contains this timer: if it is gone, a handler touches nothing.
    virtual void start(lease_clock::time_point at, const std::weak_ptr<void>& owner) = 0;
    /// Stops the timer, and leaves no work of the context behind.
    virtual void cancel() noexcept = 0;
};

/// Makes the connection and the timer of a session. The test kit has one in place of the C client.
/// The strand is passed without its type, so that its code is in the library alone, not in the kit.
class session_backend {
public:
    virtual ~session_backend() = default;
    virtual std::shared_ptr<zookeeper::session_port>
    make_port(const boost::asio::any_io_executor& strand, zookeeper::client_events& events) = 0;
    /// `due` is called on the strand, and never within a call of start() or cancel().
    virtual std::unique_ptr<session_timer> make_timer(const boost::asio::any_io_executor& strand,
                                                      std::function<void()> due) = 0;
    /// Calls `due` once, from within a turn of the context.
    virtual void after(std::chrono::nanoseconds span, std::function<void()> due) = 0;
    /// A random word, which seeds a session or a pause.
    virtual std::uint64_t draw() = 0;
};

/// For the test kit: sessions that are made on this context from now on use this backend, or the C
/// client if it is null.
TURNSTILE_API void set_backend(boost::asio::execution_context& context, session_backend* backend);
bool has_backend(boost::asio::execution_context& context);
/// Calls `due` after this span of the test kit's time. Returns false if there is no test kit.
bool await_test_time(boost::asio::execution_context& context, std::chrono::nanoseconds span,
                     std::function<void()> due);

template <class Executor>
boost::asio::execution_context& context_of(const Executor& executor) {
    return boost::asio::query(executor, boost::asio::execution::context);
}

} // namespace turnstile::detail
