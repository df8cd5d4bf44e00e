// SPDX-License-Identifier: BSL-1.0
// The processes that descend from another one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace turnstile::command {

struct process {
    pid_t id = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    std::uint64_t start = 0; ///< with the id it names a process for good
    bool zombie = false;
};

/// Nothing if there is no such process, or no /proc.
std::optional<process> process_of(pid_t id);

/// Parents come before their children. A process whose parent ends meanwhile may be missed.
std::vector<process> descendants_of(pid_t ancestor);

/// Does nothing where the id belongs to another process by now.
void send_signal(const process& to, int number);

} // namespace turnstile::command
