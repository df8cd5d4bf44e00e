// SPDX-License-Identifier: BSL-1.0
// A timer on the lease's clock, which runs on while the machine sleeps.
#pragma once

#include "session/session_backend.hpp"
#include "zookeeper/session_strand.hpp"

#include <turnstile/lease_clock.hpp>

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <functional>
#include <memory>

namespace turnstile::detail {

/// Asio's timers stand still while the machine sleeps: afterwards they would report a loss too
/// late. So this timer is a timerfd on CLOCK_BOOTTIME, which the reactor watches like a socket. If
/// there is no descriptor left, it falls back to an Asio timer.
///
/// session_driver owns it, and calls all members on the strand.
class boottime_timer final : public session_timer {
public:
    using strand_type = zookeeper::session_strand;

    /// `due` is called on the strand, and never within a call of start() or cancel().
    boottime_timer(const strand_type& strand, std::function<void()> due);

    void start(lease_clock::time_point at, const std::weak_ptr<void>& owner) override;
    /// Leaves no descriptor behind.
    void cancel() noexcept override;

    // For tests.
    bool has_descriptor() const { return descriptor_.is_open(); }
    int descriptor() { return descriptor_.native_handle(); }

private:
    bool open();
    bool set(lease_clock::time_point at) noexcept;
    void wait(const std::weak_ptr<void>& owner);
    /// Uses an Asio timer instead.
    void fall_back(const std::weak_ptr<void>& owner);
    void on_readable(const boost::system::error_code& error, const std::weak_ptr<void>& owner);
    void close() noexcept;

    boost::asio::posix::basic_stream_descriptor<strand_type> descriptor_;
    zookeeper::strand_timer fallback_;
    const std::function<void()> due_;
    lease_clock::time_point at_{};
    bool started_ = false; // start() was called, and neither cancel() nor `due` since
    bool waiting_ = false; // a handler of the descriptor has not run yet
};

} // namespace turnstile::detail
