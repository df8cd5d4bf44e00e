// What sessions of an execution context stand on, where that is not a real ensemble.
#pragma once

#include "locks/session_timer.hpp"
#include "zookeeper/session_port.hpp"
#include "zookeeper/session_strand.hpp"

#include <turnstile/detail/export.hpp>

#include <boost/asio/execution_context.hpp>

#include <functional>
#include <memory>

namespace turnstile::detail {

/// Makes what a session needs from below. Tests put another one in the place of the C client.
class session_ground {
public:
    virtual ~session_ground() = default;
    virtual std::shared_ptr<zookeeper::session_port>
    make_port(const zookeeper::session_strand& strand, zookeeper::client_events& events) = 0;
    /// `due` is called on the strand, and never by a member of the timer.
    virtual std::unique_ptr<session_timer> make_timer(const zookeeper::session_strand& strand,
                                                      std::function<void()> due) = 0;
};

/// A session asks its context for this service when it is made. A program has none: only the test
/// kit adds it.
class TURNSTILE_API session_ground_service final : public boost::asio::execution_context::service {
public:
    using key_type = session_ground_service;
    static boost::asio::execution_context::id id;

    explicit session_ground_service(boost::asio::execution_context& context)
        : boost::asio::execution_context::service(context) {}

    /// Nothing: the sessions that are made from now on stand on the C client again.
    void set(session_ground* ground) { ground_ = ground; }
    /// What sessions of this context stand on, if it is not the C client.
    static session_ground* of(boost::asio::execution_context& context);

private:
    void shutdown() override {}

    session_ground* ground_ = nullptr;
};

} // namespace turnstile::detail
