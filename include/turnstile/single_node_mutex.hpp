// SPDX-License-Identifier: BSL-1.0
// The distributed mutex of one node.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/path_lock.hpp>

#include <string>

namespace turnstile {

/**
 * @brief One exclusive lock for paths with hardly ever a waiter: the session that makes its one
 * node holds it.
 *
 * Take a `mutex` first: without waiters it costs the same, and it serves in order. This one is
 * for locks that are tried, and hardly ever waited for: a `try_acquire` that finds others costs a
 * `mutex` two requests, and this one a single request.
 *
 * There is no queue. A release wakes *every session* that waits. Each of them tries to make the
 * node, and one succeeds. So with n sessions waiting, a release costs n events and n transactions,
 * and a session that waits may starve. The acquires of one session compete one at a time, in their
 * order.
 *
 * An acquire costs one round trip where the lock is free (two where the session is new on the
 * path). So does a `try_acquire`, whether it succeeds or not. It also fails while another acquire
 * of this session waits for the lock.
 *
 * Lease, loss, fencing token and release are those of `mutex`. `participants` lists one or none: a
 * waiter has no node, and only its own session knows of it.
 *
 * Operations, thread safety and lifetimes: `path_lock`, `lock_base`.
 */
class single_node_mutex : public path_lock {
public:
    /// Does no I/O. A bad path fails the operations.
    TURNSTILE_API single_node_mutex(session& owner, std::string path);
};

} // namespace turnstile
