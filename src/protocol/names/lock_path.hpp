// SPDX-License-Identifier: BSL-1.0
// Checks lock paths in full before any I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace turnstile::protocol {

/// The longest lock path, in bytes. It leaves room for a ticket's name in any request.
inline constexpr std::size_t longest_lock_path = 1024;

/// A valid path is absolute and not too long, and neither the root nor /zookeeper nor below that.
/// It is UTF-8 as the server wants it, without control characters. No part of it is empty, `.` or
/// `..`, and it ends with no slash. (A server would answer some of the others with "no node". And
/// it lets anybody write below /zookeeper/quota.)
bool is_valid_lock_path(std::string_view path);

/// The first of these rules that the path breaks, in words; null if it is valid.
const char* fault_of_lock_path(std::string_view path);

/// A chroot is empty, or a path as above: below /zookeeper, it would have every lock path there.
bool is_valid_chroot(std::string_view path);

/// "/a/b/c" -> {"/a", "/a/b"}.
std::vector<std::string> parents_of(std::string_view path);

/// Whether a path lies below one of `known`, or above one of them for which `counts` holds. `known`
/// is a map in the order of paths. False for a path that is in it: that was checked before.
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
