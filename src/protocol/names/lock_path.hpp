// SPDX-License-Identifier: BSL-1.0
// Checks lock paths in full before any I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::protocol {

/// Longest lock path, in bytes: leaves room for a ticket's name in any sane request.
inline constexpr std::size_t longest_lock_path = 1024;

/// Absolute, no empty, `.` or `..` part, no trailing slash, no control characters, valid UTF-8 as
/// the server wants it, not the root, not below /zookeeper. The server would mask some of these
/// with "no node", and lets anybody write below /zookeeper/quota.
bool is_valid_lock_path(std::string_view path);

/// Which of these rules it breaks first, in words; nothing if it is valid.
const char* fault_of_lock_path(std::string_view path);

/// A chroot: empty, or a path as above. A chroot below /zookeeper would have every lock path there.
bool is_valid_chroot(std::string_view path);

/// "/a/b/c" -> {"/a", "/a/b"}.
std::vector<std::string> parents_of(std::string_view path);

/// Whether a path lies below one of `known`, which is ordered by paths, or above one that `counts`.
/// A path of `known` itself does neither: it was checked before.
template <class Map, class Counts>
bool is_nested(const std::string& path, const Map& known, Counts counts) {
    if (known.contains(path))
        return false;
    for (const auto& parent : parents_of(path))
        if (known.contains(parent))
            return true;
    auto below = known.upper_bound(path + '/');
    while (below != known.end() && below->first.starts_with(path + '/') && !counts(*below))
        ++below;
    return below != known.end() && below->first.starts_with(path + '/');
}

} // namespace turnstile::protocol
