// SPDX-License-Identifier: BSL-1.0
// The end of the standard input.
#pragma once

#include "program/unique_fd.hpp"

#include <boost/asio/awaitable.hpp>

namespace turnstile::command {

/// Waits for the end of the standard input without reading it: the input may be shared with a
/// shell, and its contents are for others. A pipe or a socket ends when its last writer has closed
/// it, a terminal when it is hung up.
class input_end {
public:
    /// Throws command_failure if the input is anything else: a file is always at its end, or never.
    input_end();
    /// Returns at the end of the input. Call it once.
    boost::asio::awaitable<void> wait();

private:
    unique_fd watched_; // an epoll that is ready when the input has ended
};

} // namespace turnstile::command
