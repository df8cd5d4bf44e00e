// SPDX-License-Identifier: BSL-1.0
// The strand of a session.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/strand.hpp>

namespace turnstile::zookeeper {

/// Over the user's executor. All that a session does runs on it, one function at a time.
using session_strand = boost::asio::strand<boost::asio::any_io_executor>;

} // namespace turnstile::zookeeper
