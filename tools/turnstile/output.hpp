// SPDX-License-Identifier: BSL-1.0
// The standard output of the command.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <string>
#include <string_view>

namespace turnstile::command {

/// Writes all of it at once. Throws command_failure where that fails: a full disk is no success.
void print(const std::string& text);

/// The same while a lock is held, which must not wait for a reader: takes away from the text as it
/// is written, and returns when all is.
boost::asio::awaitable<void> print_patiently(std::string& text);

/// Writes the beginning of it, and does not wait. Returns how much that was, or -1 and errno.
ssize_t write_at_once(int file, std::string_view text);

} // namespace turnstile::command
