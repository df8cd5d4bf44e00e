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
 * First come, first served. A release wakes one waiter, however long the line is. An acquire costs
 * one round trip if the lock is free, or two if the session was idle or is new on the path. The
 * hand-off to a waiter costs it no request.
 *
 * A `mutex` and a `shared_mutex` on one path exclude each other: the `mutex` is a writer there. The
 * lock is not recursive: `held_lock::share` gives further handles on a held lock.
 *
 * Operations, thread safety and lifetimes: `path_lock`, `lock_base`.
 */
class mutex : public path_lock {
public:
    /// Does no I/O. If the path is bad, the operations fail.
    TURNSTILE_API mutex(session& owner, std::string path);
};

} // namespace turnstile
