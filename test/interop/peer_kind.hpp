// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"
#include <turnstile/shared_mutex.hpp>

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
inline const std::vector<peer_kind>& peer_kinds() {
    static const std::vector<peer_kind> kinds{
        {"curator-mutex", "CuratorPeer", "mutex"},
        {.name = "curator-read-write-lock",
         .program = "CuratorPeer",
         .lock = "write-lock",
         .shared_lock = "read-lock",
         .names = lock_names::curator},
        {.name = "curator-other-names",
         .program = "CuratorPeer",
         .lock = "write-lock",
         .excludes = false},
        {"recipe-write-lock", "RecipePeer", "write-lock"},
        {"kazoo-lock", "kazoo/kazoo_peer.py", "lock"},
        {"kazoo-write-lock", "kazoo/kazoo_peer.py", "write-lock"},
        {"kazoo-read-lock", "kazoo/kazoo_peer.py", "", "read-lock"},
        {"kazoo-read-write-lock", "kazoo/kazoo_peer.py", "write-lock", "read-lock"},
        {.name = "kazoo-stock-lock",
         .program = "kazoo/kazoo_peer.py",
         .lock = "stock-lock",
         .excludes = false},
        {"go-names", "go_names/go_names_peer.py", "lock"},
    };
    return kinds;
}

/// Throws std::runtime_error where there is none of that name.
inline const peer_kind& peer_kind_of(std::string_view name) {
    const auto& all = peer_kinds();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const peer_kind& one) { return one.name == name; });
    if (found == all.end())
        throw std::runtime_error{"no kind of peer is called " + std::string{name}};
    return *found;
}

} // namespace turnstile::interop
