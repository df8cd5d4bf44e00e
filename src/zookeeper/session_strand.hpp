// SPDX-License-Identifier: BSL-1.0
// The strand of a session, and timers on it.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/strand.hpp>

#include <chrono>

namespace turnstile::zookeeper {

/// A strand over the user's executor. All that a session does runs on it, one function at a time.
using session_strand = boost::asio::strand<boost::asio::any_io_executor>;

using strand_timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, session_strand>;

} // namespace turnstile::zookeeper
