// The distributed mutex.
#pragma once

#include <turnstile/lock_object.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <concepts>
#include <string>
#include <utility>

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
 * Operations, thread safety and lifetimes: `basic_lock_object`, `acquire_operations`.
 */
template <class Executor = boost::asio::any_io_executor>
class basic_mutex : public basic_lock_object<Executor> {
public:
    /// The same kind of lock with another executor type.
    template <class Other>
    struct rebind_executor {
        using other = basic_mutex<Other>;
    };

    /// Does no I/O. A bad path is told by the operations.
    basic_mutex(session& owner, std::string path)
        : basic_lock_object<Executor>(owner, std::move(path), {}) {}
    /// Takes over what was made with another executor type.
    template <class Other>
        requires(!std::same_as<Other, Executor>)
    explicit basic_mutex(basic_mutex<Other>&& other) noexcept
        : basic_lock_object<Executor>(std::move(other)) {}
};

/// With `deferred` as the default token.
using mutex = basic_mutex<>;

} // namespace turnstile
