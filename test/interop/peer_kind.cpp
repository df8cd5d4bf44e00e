// SPDX-License-Identifier: BSL-1.0
#include "peer_kind.hpp"

#include <algorithm>
#include <stdexcept>

namespace turnstile::interop {

const std::vector<peer_kind>& peer_kinds() {
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

const peer_kind& peer_kind_of(std::string_view name) {
    const auto& all = peer_kinds();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const peer_kind& one) { return one.name == name; });
    if (found == all.end())
        throw std::runtime_error{"no kind of peer is called " + std::string{name}};
    return *found;
}

} // namespace turnstile::interop
