// SPDX-License-Identifier: BSL-1.0
// The processes that descend from this one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

struct process {
    pid_t id = 0;
    pid_t parent = 0;
    pid_t group = 0;
    pid_t session = 0;
    std::uint64_t start = 0; ///< with the id it names a process for good; 0: /proc hides it
};

/// Why the processes of a command cannot be found by the /proc here. Empty: they can.
std::string wrong_with_proc();

/// Nothing if there is no such process, or /proc hides it.
std::optional<process> process_of(pid_t id);

/// The children of this process, which has one thread, by the kernel's own list. Those that have
/// ended stay in it until they are waited for. Nothing where there is no such list.
///
/// As long as nobody waits for children meanwhile, it is complete: it has those whom /proc hides
/// (`hidepid`), and those whose parent has ended come to its end.
std::optional<std::vector<pid_t>> own_children();

/// All that descend from this process. Parents come before their children. A process whose parent
/// ends meanwhile may be missed, and so may the children of one that /proc hides.
std::vector<process> descendants();

/// Does nothing where the id belongs to another process by now.
void send_signal(const process& to, int number);

} // namespace turnstile::command
