// SPDX-License-Identifier: BSL-1.0
// By what names a lock stands in line.
#pragma once

#include <cstdint>

namespace turnstile {

/// All who use one lock path must use the same. docs/interop.md has who excludes whom.
enum class lock_names : std::uint8_t {
    /// In line with Curator's InterProcessMutex, ZooKeeper's Java recipe, go-zookeeper, and Kazoo
    /// with `extra_lock_patterns=["lock-"]`. To all of them a reader is a writer.
    turnstile,
    /// In line with Curator's InterProcessReadWriteLock, its readers and its writers. No other
    /// library sees these names.
    curator,
};

} // namespace turnstile
