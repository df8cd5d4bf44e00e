// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <turnstile/shared_mutex.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::interop {

/// One kind of lock of another library, as a contender beside Turnstile's locks.
struct peer_kind {
    std::string_view name;
    std::string_view program;          ///< a main class, or a Python script below peers
    std::string_view lock;             ///< the program's first argument; empty: all peers read
    std::string_view shared_lock = {}; ///< the same of those that read, every second one
    bool excludes = true; ///< false: known to hold beside Turnstile, which the run must see
    lock_names names = lock_names::turnstile; ///< of Turnstile's locks

    /// Whether that peer, as they are counted, may hold it beside other readers.
    [[nodiscard]] bool reads(std::size_t peer) const noexcept {
        return !shared_lock.empty() && (lock.empty() || peer % 2 == 1);
    }

    [[nodiscard]] bool in_java() const noexcept { return !program.ends_with(".py"); }
};

/// All that there are, in the order in which they run.
const std::vector<peer_kind>& peer_kinds();

/// Throws std::runtime_error where there is none of that name.
const peer_kind& peer_kind_of(std::string_view name);

} // namespace turnstile::interop
