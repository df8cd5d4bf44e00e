// SPDX-License-Identifier: BSL-1.0
// Who holds a lock, in a few words.
#pragma once

#include <turnstile/participant.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::command {

/// Writes a process, such as: alpha (pid 4711, "nightly")
std::string process_text(const std::string& host, const std::string& pid, const std::string& label);

/// Writes the process of a participant, or its ticket's name if the process is not known.
std::string name_text(const participant& who);

/// Writes the holder, such as: held by alpha (pid 4711, "nightly"), in line for 3 min 12 s
std::string holder_text(const std::vector<participant>& line);

/// Counts the waiters before the session that listed the line. If that is not in line: all waiters.
std::size_t waiting_ahead(const std::vector<participant>& line);

} // namespace turnstile::command
