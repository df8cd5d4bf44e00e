// SPDX-License-Identifier: BSL-1.0
// The distributed reader-writer lock.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/path_lock.hpp>

#include <cstdint>
#include <string>

namespace turnstile {

/// The form of the tickets' names, which decides with which other libraries the lock stands in one
/// line. All users of one lock path must use the same form. docs/interop.md says who excludes whom.
enum class lock_names : std::uint8_t {
    /// In line with Curator's InterProcessMutex, ZooKeeper's Java recipe, go-zookeeper, and Kazoo
    /// with `extra_lock_patterns=["lock-"]`. To all of them a reader is a writer.
    turnstile,
    /// In line with Curator's InterProcessReadWriteLock, its readers and its writers. No other
    /// library sees these names.
    curator,
};

struct shared_mutex_options {
    lock_names names = lock_names::turnstile;
};

/**
 * @brief A lock, named by a lock path, that many may hold to read, and one to write.
 *
 * First come, first served: a reader waits for the writers before it, a writer for all before it.
 * So neither readers nor writers starve. A writer's release wakes the readers behind it, up to the
 * next writer, and no others. A reader's release wakes at most one writer. A `mutex` on the same
 * path is a writer here: both exclude each other.
 *
 * With `{.names = lock_names::curator}` the lock stands in line with Curator's
 * InterProcessReadWriteLock. It then costs the same, but can be neither downgraded nor upgraded,
 * and a `mutex` may not be on its path.
 *
 * The acquires of the object are writers, and cost what a `mutex` costs. Those of `shared()` are
 * readers.
 *
 * Readers of one session share a ticket, up to 64 of them. If a reader of the session holds the
 * lock or waits, a further one joins it, and costs no request and no place in line. So it may pass
 * a waiting writer of another session, but no writer of its own session.
 *
 * The lock is not recursive. A reader that holds it must not acquire it to write: it would wait for
 * itself.
 *
 * Operations, thread safety and lifetimes: `path_lock`, `lock_base`.
 */
class shared_mutex : public path_lock {
public:
    /// Does no I/O. If the path is bad, the operations fail.
    TURNSTILE_API shared_mutex(session& owner, std::string path,
                               const shared_mutex_options& options = {});

    /// A view whose acquires are readers. A reader waits for the last writer before it. Its
    /// `try_acquire` gets an empty lock if a writer holds the lock or stands in line.
    TURNSTILE_API lock_view shared() const;
};

} // namespace turnstile
