// What the locks have in common that are held by one caller, or by readers.
#pragma once

#include <turnstile/detail/lock_handle.hpp>
#include <turnstile/path_operations.hpp>
#include <turnstile/session.hpp>

#include <string>
#include <utility>

namespace turnstile {

class lock_part;

/**
 * @brief A lock path of a session, and the operations on it.
 *
 * Not made by itself: `mutex`, `shared_mutex` and `single_node_mutex` are lock objects. The lock
 * path is created with its parents where it is missing (container nodes, which the server removes
 * when they are empty). Its data and its version belong to Turnstile. Many objects may name one
 * path, on one session or several.
 *
 * @par Thread safety
 * As `path_operations`.
 *
 * @par Object lifetimes
 * As `path_operations`.
 */
template <class Executor>
class basic_lock_object : public path_operations<Executor> {
protected:
    /// Does no I/O. A bad path is told by the operations.
    basic_lock_object(session& owner, std::string path, const detail::acquire_manner& how)
        : path_operations<Executor>(detail::lock_handle(owner, std::move(path)), how) {}
    template <class Other>
    explicit basic_lock_object(basic_lock_object<Other>&& other) noexcept
        : path_operations<Executor>(std::move(other)) {}
    basic_lock_object(basic_lock_object&&) noexcept = default;
    basic_lock_object& operator=(basic_lock_object&&) noexcept = default;
    ~basic_lock_object() = default;

private:
    friend class lock_part;
};

} // namespace turnstile
