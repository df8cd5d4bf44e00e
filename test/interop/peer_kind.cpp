#include "peer_kind.hpp"

#include <algorithm>
#include <stdexcept>

namespace turnstile::interop {

const std::vector<peer_kind>& peer_kinds() {
    static const std::vector<peer_kind> kinds{
        {"curator-mutex", "CuratorPeer", "mutex"},
        {"curator-write-lock", "CuratorPeer", "write-lock", false, false},
        {"recipe-write-lock", "RecipePeer", "write-lock"},
        {"kazoo-lock", "kazoo/kazoo_peer.py", "lock"},
        {"kazoo-write-lock", "kazoo/kazoo_peer.py", "write-lock"},
        {"kazoo-read-lock", "kazoo/kazoo_peer.py", "read-lock", true},
        {"kazoo-stock-lock", "kazoo/kazoo_peer.py", "stock-lock", false, false},
        {"go-names", "go_names/go_names_peer.py", "lock"},
    };
    return kinds;
}

const peer_kind& peer_kind_of(std::string_view name) {
    const auto& all = peer_kinds();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const peer_kind& one) { return one.name == name; });
    if (found == all.end()) {
        throw std::runtime_error{"no kind of peer is called " + std::string{name}};
    }
    return *found;
}

} // namespace turnstile::interop
