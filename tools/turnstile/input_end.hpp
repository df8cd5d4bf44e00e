// SPDX-License-Identifier: BSL-1.0
// The end of the standard input.
#pragma once

#include "unique_fd.hpp"

#include <boost/asio/awaitable.hpp>

namespace turnstile::command {

/// Nothing is read: the input may be shared with a shell, and what is in it is for others. Of a
/// pipe or a socket the end is that of its last writer, of a terminal that it is hung up.
class input_end {
public:
    /// Throws command_failure where the input is something else: a file is always at its end, or
    /// never.
    input_end();
    boost::asio::awaitable<void> wait();

private:
    unique_fd watched_;
};

} // namespace turnstile::command
