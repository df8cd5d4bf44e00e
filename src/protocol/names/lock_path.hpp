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
/// `..`, and it ends with no slash. (To some invalid paths a server would answer "no node", which
/// hides the mistake. And it lets anybody write below /zookeeper/quota.)
bool is_valid_lock_path(std::string_view path);

/// The first of these rules that the path breaks, in words; null if it is valid.
const char* fault_of_lock_path(std::string_view path);

/// A valid chroot is empty, or a path as above: below /zookeeper, it would put each lock path
/// there.
bool is_valid_chroot(std::string_view path);

/// "/a/b/c" -> {"/a", "/a/b"}.
std::vector<std::string> parents_of(std::string_view path);

/// Whether a path lies below one of the paths of `known`, or above one for which `counts` holds.
/// `known` is a map, whose keys are paths in their order. False if it has this path itself, which
/// was checked when it was added.
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
