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
    std::uint64_t start = 0; ///< start time: with the id it identifies a process; 0: /proc hides it
};

/// Says why /proc does not show the processes of a command. Empty: it does.
std::string wrong_with_proc();

/// Returns the process that has this id; nothing if there is none, or if /proc hides it.
std::optional<process> process_of(pid_t id);

/// Returns the children of this process, by the kernel's own list. Call it while the process has
/// one thread: each thread has a list. Children that have ended stay in it until they are waited
/// for. Nothing if the kernel has no such list.
///
/// The list is complete as long as no child is waited for meanwhile: it has the children
/// that /proc hides (`hidepid`), too, and orphans are added at its end.
std::optional<std::vector<pid_t>> own_children();

/// Whether this process can open a file now. If not, descendants() waits until it can.
bool may_open_files();

/// Returns all processes that descend from this one. Parents come before their children. A process
/// whose parent ends meanwhile may be missed, and so may the children of one that /proc hides.
std::vector<process> descendants();

/// Sends a signal, unless the id belongs to another process by now.
void send_signal(const process& to, int number);

} // namespace turnstile::command
