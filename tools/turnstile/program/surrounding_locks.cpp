// SPDX-License-Identifier: BSL-1.0
#include "program/surrounding_locks.hpp"

#include "options/server_address.hpp"
#include "program/processes.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>

namespace turnstile::command {

namespace {

/// Returns a line for each lock: the process that holds it, r or w, its servers, its path.
std::string held_around() {
    const char* const lines = std::getenv("TURNSTILE_HELD");
    return lines != nullptr ? lines : "";
}

/// Whether the other process is above this one. TURNSTILE_HELD alone does not tell: a daemon keeps
/// it, and may outlive the lock. If /proc hides a process in between, `other` counts as above if it
/// lives.
bool is_above(pid_t other) {
    for (auto each = process_of(::getpid()); each; each = process_of(each->parent))
        if (each->parent == other || each->parent <= 1)
            return each->parent == other;
    return ::kill(other, 0) == 0 || errno == EPERM;
}

/// Whether both name one node. A server is in one ensemble, so lists that share a server are lists
/// of the same one. Names are not looked up.
bool is_same_node(const surrounding_lock& one, const surrounding_lock& other) {
    const auto [ones, chroot] = addresses_of(one.servers);
    const auto [others, other_chroot] = addresses_of(other.servers);
    const auto is_one_server = [](const server_address& a, const server_address& b) {
        return boost::algorithm::iequals(a.host, b.host) && a.port == b.port;
    };
    return chroot + one.path == other_chroot + other.path &&
           std::ranges::find_first_of(ones, others, is_one_server) != ones.end();
}

} // namespace

bool is_held_above(const surrounding_lock& wanted) {
    std::istringstream lines(held_around());
    pid_t holder = 0;
    char mode = 0;
    surrounding_lock held;
    while (lines >> holder >> mode >> held.servers && std::getline(lines >> std::ws, held.path))
        if (is_same_node(held, wanted) && !(wanted.shared && mode == 'r') && is_above(holder))
            return true;
    return false;
}

std::string held_with(const surrounding_lock& own) {
    return held_around() + std::to_string(::getpid()) + (own.shared ? " r " : " w ") + own.servers +
           ' ' + own.path + '\n';
}

} // namespace turnstile::command
