// SPDX-License-Identifier: BSL-1.0
// The distributed mutex of one node.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/path_lock.hpp>

#include <string>

namespace turnstile {

/**
 * @brief One exclusive lock for paths that hardly ever have a waiter: it is one node, and the
 * session that makes the node holds the lock.
 *
 * Prefer a `mutex`: without waiters it costs the same, and it serves in order. This lock is for
 * those that use `try_acquire`, and hardly ever wait. If others hold the lock, a `try_acquire` of a
 * `mutex` costs two requests, and one of this lock a single request.
 *
 * There is no queue. A release wakes *every session* that waits. Each of them tries to make the
 * node, and one succeeds. So with n sessions waiting, a release costs n events and n transactions,
 * and a session that waits may starve. The acquires of one session compete one at a time, in their
 * order.
 *
 * An acquire costs one round trip if the lock is free (two if the session is new on the path). So
 * does a `try_acquire`, whether it succeeds or not. A `try_acquire` also fails while another
 * acquire of this session waits for the lock.
 *
 * Lease, loss, fencing token and release are those of `mutex`. `list_participants` lists the holder
 * alone: a waiter has no node, and only its own session knows of it.
 *
 * Operations, thread safety and lifetimes: `path_lock`, `lock_base`.
 */
class single_node_mutex : public path_lock {
public:
    /// Does no I/O. If the path is bad, the operations fail.
    TURNSTILE_API single_node_mutex(session& owner, std::string path);
};

} // namespace turnstile
