// SPDX-License-Identifier: BSL-1.0
// A lock, and the way in which it is held.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/path_lock.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace turnstile {

/**
 * @brief A lock, and the way in which it is held: a value that refers to a lock object.
 *
 * `shared_mutex::shared`, `semaphore::permits` and `at_most` make one, and every lock object but a
 * `multi_lock` converts to one. A view has the acquires of a lock object, and can be copied. So a
 * list that is known at run time is a `std::vector<lock_view>`.
 *
 *     auto reading = co_await catalogue.shared().acquire();
 *     multi_lock both{orders, catalogue.shared(), connections.permits(2)};
 *
 * A view goes on referring to the same lock when the lock object moves, or is destroyed. Its
 * acquires count in the object's `usage`. A view of a `semaphore` states the limit that the object
 * states.
 */
class lock_view : public lock_base<detail::lock_object> {
public:
    /// Views the lock as its own `acquire` holds it: a `shared_mutex` to write, a `semaphore` with
    /// one permit. Not explicit, so that a `multi_lock` can be made of the locks themselves.
    lock_view(const path_lock& lock) : lock_base(lock.object_) {}

    /// The lock path.
    TURNSTILE_API const std::string& path() const noexcept;

    /// Returns a view of the same lock whose acquires hold it for at most this time.
    template <class Rep, class Period>
    lock_view at_most(std::chrono::duration<Rep, Period> limit) const {
        return limited(detail::limit_of(limit));
    }

    /// Returns a view of the same lock whose acquires ask the holders before them to let go.
    TURNSTILE_API lock_view asking(std::string reason) const;

private:
    friend class election;
    friend class shared_mutex;
    friend class semaphore;
    friend class detail::multi_object;

    explicit lock_view(std::shared_ptr<detail::lock_object> object)
        : lock_base(std::move(object)) {}
    TURNSTILE_API lock_view limited(std::optional<std::chrono::nanoseconds> hold) const;
};

template <class Rep, class Period>
lock_view path_lock::at_most(std::chrono::duration<Rep, Period> limit) const {
    return lock_view(*this).at_most(limit);
}

} // namespace turnstile
