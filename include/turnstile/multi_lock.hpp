// Several distributed locks taken as one.
#pragma once

#include <turnstile/acquire_operations.hpp>
#include <turnstile/detail/multi_handle.hpp>
#include <turnstile/lock_part.hpp>
#include <turnstile/usage.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace turnstile {

/**
 * @brief Several locks as one: all are held, or none.
 *
 * The parts may be of any kind (`mutex`, `shared_mutex` to write or to read, `single_node_mutex`,
 * one lease or several of a `semaphore`), on one session or several, on one ensemble or several.
 * Whoever takes them alone and whoever takes them together exclude each other.
 *
 *     multi_lock all{orders, lock_part::shared(catalogue), lock_part::leases(connections, 2)};
 *     auto lock = co_await all.acquire();
 *
 * The order in which the parts are named does not matter. Every `multi_lock` acquires its parts one
 * after the other in the same order: by the czxid of their lock paths (of a semaphore: of its
 * nodes), then by the ctime, as the ensemble gave them. So two callers that take several locks do
 * not wait for each other for ever.
 * This does not hold for somebody who holds one lock and then acquires a `multi_lock`, or a second
 * lock.
 *
 * Where this object has not held the locks before, an acquire asks for their keys first, all in one
 * flight. Free parts of one session that come one after the other in the order cost one round trip
 * together, and their fencing tokens are equal. A `single_node_mutex` or a semaphore is acquired
 * by itself. If a lock path or a semaphore was made anew, its key is asked for again, and the parts
 * before it stay held. If a part is lost while the acquire waits for another part, all parts are
 * released once that other part is granted, and the acquire begins again. A time limit counts for
 * all parts together.
 * `session_options::unreachable_limit` is that of each part's session. `try_acquire` releases all
 * parts at the first one that is not free.
 *
 * An acquire has the errors of its parts. Those that come from a semaphore's limit are told before
 * anything is acquired, as far as the limit is known by then. `diagnostics` name the path of the
 * part that failed. It also has `error::duplicate_lock`: two parts are one lock, whatever paths,
 * servers or chroots name it. After an error nothing is held: all parts are released in the
 * background, in reverse order.
 *
 * The result is one `held_lock`. It is lost when any part is lost, and its deadline is the earliest
 * one of its parts. Its `release` releases all parts in reverse order, and completes when all are
 * answered, with the first error. `held_lock::fencing_tokens` has the token of each part; a store
 * must not compare that of a semaphore. It cannot be downgraded or upgraded.
 *
 * Operations and thread safety: `acquire_operations`. The executor is that of the first part's
 * session.
 *
 * @par Object lifetimes
 * As `acquire_operations`. Where the sessions run on several execution contexts, none of these may
 * be destroyed before the operations are over. What is begun after that ends with
 * `error::session_closed`, and holds nothing. With the context of the first part goes its handler.
 */
template <class Executor = boost::asio::any_io_executor>
class basic_multi_lock : public acquire_operations<Executor, detail::multi_handle> {
public:
    /// The same kind of lock with another executor type.
    template <class Other>
    struct rebind_executor {
        using other = basic_multi_lock<Other>;
    };

    /// Of these parts: lock objects, `lock_part::shared`, or `lock_part::leases`. Does no I/O.
    template <std::convertible_to<lock_part>... Parts>
        requires(sizeof...(Parts) > 0)
    explicit basic_multi_lock(const Parts&... parts)
        : basic_multi_lock(std::vector<lock_part>{lock_part(parts)...}) {}
    /// The same. Throws `std::invalid_argument` where there is none.
    explicit basic_multi_lock(std::vector<lock_part> parts)
        : acquire_operations<Executor, detail::multi_handle>(detail::multi_handle(std::move(parts)),
                                                             {}) {}
    /// Takes over what was made with another executor type.
    template <class Other>
        requires(!std::same_as<Other, Executor>)
    explicit basic_multi_lock(basic_multi_lock<Other>&& other) noexcept
        : acquire_operations<Executor, detail::multi_handle>(std::move(other)) {}

    /// How many parts there are.
    std::size_t size() const noexcept { return this->handle().size(); }
    /// What this object has done so far, with all parts as one lock. A lock that was lost is
    /// counted as held until it is let go. `session::usage` counts the parts. Safe to call from any
    /// thread.
    lock_usage usage() const noexcept { return this->handle().usage(); }
};

/// With `deferred` as the default token.
using multi_lock = basic_multi_lock<>;

} // namespace turnstile
