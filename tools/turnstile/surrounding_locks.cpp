// SPDX-License-Identifier: BSL-1.0
#include "surrounding_locks.hpp"

#include "processes.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

namespace turnstile::command {

namespace {

std::string held_around() {
    const char* const told = std::getenv("TURNSTILE_HELD");
    return told != nullptr ? told : "";
}

/// Whether a process is above this one. A daemon keeps the environment, and may outlive the lock.
/// If /proc hides a process in between, a holder that lives counts as above.
bool is_above(pid_t other) {
    for (auto each = process_of(::getpid()); each; each = process_of(each->parent))
        if (each->parent == other || each->parent <= 1)
            return each->parent == other;
    return ::kill(other, 0) == 0 || errno == EPERM;
}

} // namespace

bool is_held_above(const surrounding_lock& wanted) {
    std::istringstream all(held_around());
    pid_t holder = 0;
    char mode = 0;
    std::string servers;
    std::string path;
    while (all >> holder >> mode >> servers && std::getline(all >> std::ws, path))
        if (servers == wanted.servers && path == wanted.path && !(wanted.shared && mode == 'r') &&
            is_above(holder))
            return true;
    return false;
}

std::string held_with(const surrounding_lock& own) {
    return held_around() + std::to_string(::getpid()) + (own.shared ? " r " : " w ") + own.servers +
           ' ' + own.path + '\n';
}

} // namespace turnstile::command
