// SPDX-License-Identifier: BSL-1.0
// The standard output of the command.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <sys/types.h>

#include <string>
#include <string_view>

namespace turnstile::command {

/// Writes all of the text. Throws command_failure if that fails: a full disk is no success.
void print(const std::string& text);

/// Writes the text while a lock is held: a slow reader holds up this coroutine, but not the thread.
/// It takes away from the text what is written, and returns when all is. Throws command_failure.
boost::asio::awaitable<void> print_patiently(std::string& text);

/// Writes as much of the text as it can without a wait. Returns how much that was, or -1 and errno.
ssize_t write_at_once(int file, std::string_view text);

} // namespace turnstile::command
