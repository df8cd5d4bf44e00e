// SPDX-License-Identifier: BSL-1.0
// The locks that a turnstile above this process holds.
#pragma once

#include <string>

namespace turnstile::command {

/// One such lock. Its turnstile tells its program of it in TURNSTILE_HELD.
struct surrounding_lock {
    std::string servers{};
    std::string path{};
    bool shared = false;
};

/// Whether a process above this one holds the lock, so that a wait for it would never end. Readers
/// do not wait for readers.
bool is_held_above(const surrounding_lock& wanted);

/// The value of TURNSTILE_HELD for a program of this process.
std::string held_with(const surrounding_lock& own);

} // namespace turnstile::command
