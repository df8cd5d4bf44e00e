// SPDX-License-Identifier: BSL-1.0
// Which lock a lock path stands for, and its place in the order of all locks.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace turnstile::protocol {

/// A lock has the same key in all sessions, whichever servers and chroot they name it by. A
/// multi_lock acquires its parts in the order of these keys. Two ensembles may have the same czxid.
/// It is taken for impossible that both made its node in the same millisecond.
struct lock_key {
    std::int64_t czxid = 0; // of the lock path, or of a semaphore's nodes: the incarnation
    std::int64_t ctime = 0; // of the same node
    std::string path{};     // from the root: one transaction may have made several lock paths

    friend auto operator<=>(const lock_key&, const lock_key&) = default;
};

} // namespace turnstile::protocol
