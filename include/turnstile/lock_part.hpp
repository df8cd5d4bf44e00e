// A lock as a part of several that are taken as one.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/detail/lock_handle.hpp>
#include <turnstile/lock_object.hpp>
#include <turnstile/semaphore.hpp>
#include <turnstile/shared_mutex.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace turnstile {

namespace detail {
class lock_object;
class multi_object;
} // namespace detail

/**
 * @brief One lock of a `multi_lock`, and the way it is held.
 *
 * Made from a lock object of any kind. It names the same lock and has operations of its own. So the
 * object may be destroyed, and its `usage` does not count what the `multi_lock` does. A part made
 * from a `semaphore` states the limit that the object states, also after a later `set_limit`
 * through that object.
 *
 * @par Thread safety
 * Distinct objects: safe. One object: not safe.
 *
 * @par Object lifetimes
 * May outlive the lock object, and the session object (`error::session_closed`).
 */
class lock_part {
public:
    // Not explicit, so that a multi_lock is made of the locks themselves.
    /// As its `acquire` holds it: a `shared_mutex` to write.
    template <class Executor>
    lock_part(const basic_lock_object<Executor>& lock) : lock_part(lock.handle(), lock.how()) {}

    /// One lease.
    template <class Executor>
    lock_part(const basic_semaphore<Executor>& lock) : lock_part(lock.handle(), lock.how()) {}

    /// To read.
    template <class Executor>
    static lock_part shared(const basic_shared_mutex<Executor>& lock) {
        const basic_lock_object<Executor>& object = lock;
        return {object.handle(), lock.reads()};
    }

    /// Several leases, acquired and released together. `count` is at least 1: 0 counts as 1.
    template <class Executor>
    static lock_part leases(const basic_semaphore<Executor>& lock, std::uint32_t count) {
        return {lock.handle(), lock.manner(count)};
    }

    TURNSTILE_API const std::string& path() const noexcept;

private:
    friend class detail::multi_object;

    TURNSTILE_API lock_part(const detail::lock_handle& lock, const detail::acquire_manner& how);

    std::shared_ptr<detail::lock_object> lock_;
    detail::acquire_manner how_;
};

} // namespace turnstile
