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
 * one permit or several of a `semaphore`), on one session or several, on one ensemble or several.
 * An acquire of a part alone and one of all together exclude each other.
 *
 *     multi_lock all{orders, catalogue.shared(), connections.permits(2)};
 *     auto lock = co_await all.acquire();
 *
 * Every `multi_lock` acquires its parts one after the other in the same order: by the czxid of
 * their lock paths (of a semaphore: of its nodes), then by the ctime. So two callers that take
 * several locks do not wait for each other for ever. This does not hold for a holder of one lock
 * who then acquires a `multi_lock`, or a second lock.
 *
 * The first acquire asks for the keys of the locks, all in one flight. Free parts of one session
 * that come one after the other in the order cost one round trip together, and their fencing tokens
 * are equal. A `single_node_mutex` or a semaphore is acquired by itself. If a part is lost while
 * the acquire waits for another one, it begins again. A time limit counts for all parts together.
 *
 * An acquire has the errors of its parts, and `error::duplicate_lock`: two parts are one lock,
 * whatever paths, servers or chroots name it. `diagnostics` name the path of the part that failed.
 * After an error all parts are released in the background, in reverse order.
 *
 * The result is one `held_lock`. It is lost when any part is lost, and its deadline is the earliest
 * one of its parts. Its `release` releases all parts in reverse order, and completes when all are
 * answered, with the first error. It cannot be downgraded or upgraded.
 *
 * Operations and thread safety: `lock_base`. The executor is that of the first part's session.
 *
 * @par Object lifetimes
 * As `lock_base`. The lock objects of the parts may be destroyed, and their `usage` does not count
 * what the `multi_lock` does. Where the sessions run on several execution contexts, none of these
 * may be destroyed before the operations are over. What is begun after that ends with
 * `error::session_closed`, and holds nothing.
 */
class multi_lock : public lock_base<detail::multi_object> {
public:
    /// Of these parts: lock objects and views of them. Does no I/O.
    template <std::convertible_to<lock_view>... Parts>
        requires(sizeof...(Parts) > 0)
    explicit multi_lock(const Parts&... parts)
        : multi_lock(std::vector<lock_view>{lock_view(parts)...}) {}
    /// The same. Throws `std::invalid_argument` where there is none.
    TURNSTILE_API explicit multi_lock(const std::vector<lock_view>& parts);
    multi_lock(multi_lock&&) noexcept = default;
    TURNSTILE_API multi_lock& operator=(multi_lock&& other) noexcept;
    TURNSTILE_API ~multi_lock();

    /// How many parts there are.
    TURNSTILE_API std::size_t size() const noexcept;
    /// What this object has done so far, with all parts as one lock. A lock that was lost is
    /// counted as held until it is let go. `session::usage` counts the parts.
    TURNSTILE_API lock_usage usage() const noexcept;
};

} // namespace turnstile
