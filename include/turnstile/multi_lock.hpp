// SPDX-License-Identifier: BSL-1.0
// Several distributed locks taken as one.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/lock_base.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/usage.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace turnstile {

/**
 * @brief Several locks as one: all are held, or none.
 *
 * The parts may be of any kind (`mutex`, `shared_mutex` to write or to read, `single_node_mutex`,
 * one permit or several of a `semaphore`), on one session or several, on one ensemble or several. A
 * part is the same lock for those who acquire it alone.
 *
 *     multi_lock all{orders, catalogue.shared(), connections.permits(2)};
 *     auto lock = co_await all.acquire();
 *
 * Every `multi_lock` acquires its parts one after the other in the same order: by the czxid of
 * their lock paths (for a semaphore: of its nodes), then by the ctime. So two callers that take
 * several locks do not wait for each other for ever. They may do so if a caller holds one lock, and
 * then acquires a `multi_lock` or a second lock.
 *
 * The first acquire asks for the czxids and ctimes, all in one flight. Free parts of one session
 * that are neighbours in the order cost one round trip together, and their fencing tokens are
 * equal. A `single_node_mutex` or a semaphore is acquired by itself. If a part is lost while the
 * acquire waits for another one, it begins again. A time limit counts for all parts together.
 *
 * An acquire has the errors of its parts. It fails with `error::duplicate_lock` if two parts are
 * one lock, whatever paths, servers or chroots name it. `diagnostics` name the path of the part
 * that failed. After an error all parts are released in the background, in reverse order.
 *
 * The result is one `held_lock`. It is lost when any part is lost, and has the earliest deadline of
 * its parts. Its `release` releases all parts in reverse order. It completes when all are answered,
 * with the first error. The lock cannot be downgraded or upgraded.
 *
 * Operations and thread safety: `lock_base`. The executor is that of the first part's session.
 *
 * @par Object lifetimes
 * See `lock_base`. The lock objects of the parts may be destroyed; their `usage` does not count the
 * acquires of the `multi_lock`. If the sessions run on several execution contexts, all of these
 * must live until the operations are over. An operation that begins after one of them was destroyed
 * ends with `error::session_closed`, and holds nothing.
 */
class multi_lock : public lock_base<detail::multi_object> {
public:
    /// Each part is a lock object or a view of one. Does no I/O.
    template <std::convertible_to<lock_view>... Parts>
        requires(sizeof...(Parts) > 0)
    explicit multi_lock(const Parts&... parts)
        : multi_lock(std::vector<lock_view>{lock_view(parts)...}) {}
    /// Each part is an element of the list. Throws `std::invalid_argument` if there is no part:
    /// then there is no session on which an operation could fail.
    TURNSTILE_API explicit multi_lock(const std::vector<lock_view>& parts);
    multi_lock(multi_lock&&) noexcept = default;
    TURNSTILE_API multi_lock& operator=(multi_lock&& other) noexcept;
    TURNSTILE_API ~multi_lock();

    /// The number of parts.
    TURNSTILE_API std::size_t size() const noexcept;
    /// Counts of all that this object has done so far, with all parts as one lock. A lock that was
    /// lost counts as held until it is let go. `session::usage` counts the parts.
    TURNSTILE_API lock_usage usage() const noexcept;
};

} // namespace turnstile
