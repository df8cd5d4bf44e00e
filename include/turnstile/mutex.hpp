// SPDX-License-Identifier: BSL-1.0
// The distributed mutex.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/path_lock.hpp>

#include <string>

namespace turnstile {

/**
 * @brief One exclusive lock, named by a lock path, over all processes that use the ensemble.
 *
 * First come, first served; one release wakes one waiter, whatever the length of the line. An
 * acquire costs one round trip where the lock is free, or two for a session that was idle or is new
 * on the path. A hand-off costs no request at all.
 *
 * A `mutex` and a `shared_mutex` on one path exclude each other: the `mutex` is a writer there. The
 * lock is not recursive: `held_lock::share` gives further handles on a held lock.
 *
 * Operations, thread safety and lifetimes: `path_lock`, `lock_base`.
 */
class mutex : public path_lock {
public:
    /// Does no I/O. A bad path fails the operations.
    TURNSTILE_API mutex(session& owner, std::string path);
};

} // namespace turnstile
