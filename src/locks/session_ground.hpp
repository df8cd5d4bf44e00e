// SPDX-License-Identifier: BSL-1.0
// What sessions of an execution context stand on, where that is not a real ensemble.
#pragma once

#include "locks/session_timer.hpp"
#include "zookeeper/session_port.hpp"

#include <turnstile/detail/export.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/execution_context.hpp>

#include <functional>
#include <memory>

namespace turnstile::detail {

/// Makes what a session needs from below. The test kit puts one in the place of the C client. The
/// session's strand comes without its type: its code stays in the library, and is not in the kit.
class session_ground {
public:
    virtual ~session_ground() = default;
    virtual std::shared_ptr<zookeeper::session_port>
    make_port(const boost::asio::any_io_executor& strand, zookeeper::client_events& events) = 0;
    /// `due` is called on the strand, and never by a member of the timer.
    virtual std::unique_ptr<session_timer> make_timer(const boost::asio::any_io_executor& strand,
                                                      std::function<void()> due) = 0;
};

/// For the test kit: sessions of this context stand on it, if they are made from now on. Without
/// one they stand on the C client.
TURNSTILE_API void stand_on(boost::asio::execution_context& context, session_ground* ground);
/// What sessions of this context stand on, if it is not the C client.
session_ground* ground_of(boost::asio::execution_context& context);

} // namespace turnstile::detail
