// SPDX-License-Identifier: BSL-1.0
// Which lock a lock path stands for, and its place in the order of all locks.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace turnstile::protocol {

/// A lock has the same key for everybody, by whatever servers and chroot its path is named. Two
/// ensembles may have the same czxid. That both made a node by it in the same millisecond is taken
/// for impossible.
struct lock_key {
    std::int64_t czxid = 0; // of the lock path, or the nodes of a semaphore: the incarnation
    std::int64_t ctime = 0;
    std::string path{}; // from the root: one transaction may have made several

    friend auto operator<=>(const lock_key&, const lock_key&) = default;
};

} // namespace turnstile::protocol
