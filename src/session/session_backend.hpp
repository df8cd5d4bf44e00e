// SPDX-License-Identifier: BSL-1.0
// What sessions of an execution context are built on, where that is not a real ensemble.
#pragma once

#include "zookeeper/session_port.hpp"

#include <turnstile/detail/export.hpp>
#include <turnstile/lease_clock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace turnstile::detail {

/// When a session is to be looked at again. All members are called on the session's strand.
class session_timer {
public:
    virtual ~session_timer() = default;
    /// Is due once, at this instant or earlier, instead of what was started before. `owner`
    /// contains this timer: a handler that finds the owner gone touches nothing.
    virtual void start(lease_clock::time_point at, const std::weak_ptr<void>& owner) = 0;
    /// Leaves no work behind.
    virtual void cancel() noexcept = 0;
};

/// Makes what a session needs from below. The test kit puts one in the place of the C client. The
/// session's strand comes without its type: its code stays in the library, and is not in the kit.
class session_backend {
public:
    virtual ~session_backend() = default;
    virtual std::shared_ptr<zookeeper::session_port>
    make_port(const boost::asio::any_io_executor& strand, zookeeper::client_events& events) = 0;
    /// `due` is called on the strand, and never by a member of the timer.
    virtual std::unique_ptr<session_timer> make_timer(const boost::asio::any_io_executor& strand,
                                                      std::function<void()> due) = 0;
    /// Calls `due` once, from within a turn of the context.
    virtual void after(std::chrono::nanoseconds span, std::function<void()> due) = 0;
    /// What seeds the random numbers of a session or a pause.
    virtual std::uint64_t draw() = 0;
};

/// For the test kit: sessions that are made on this context from now on use it. Without one they
/// use the C client.
TURNSTILE_API void set_backend(boost::asio::execution_context& context, session_backend* backend);
bool has_backend(boost::asio::execution_context& context);

} // namespace turnstile::detail
