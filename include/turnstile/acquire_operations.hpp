// The operations that acquire a lock, of whatever kind.
#pragma once

#include <turnstile/detail/default_token.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/detail/lock_handle.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/held_lock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

namespace turnstile {

/**
 * @brief The operations that acquire a lock.
 *
 * Not made by itself: each kind of lock has these operations. The comment of the kind says what an
 * acquire costs, whom it waits for, and which errors it has besides those that are named here.
 *
 * `Executor` says which completion token is the default, in Asio's way:
 * `use_awaitable_t<>::as_default_on_t<mutex>`. `Handle` is the library's own part.
 *
 * @par Thread safety
 * Safe, except for move and assignment: all members may be called at any time from any thread. An
 * object that was moved from may only be destroyed or assigned to.
 *
 * @par Object lifetimes
 * Operations and held locks may outlive the object, except that its destruction cancels the
 * operations that were started through it: they complete with `operation_aborted` and leave nothing
 * at the lock path.
 */
template <class Executor, class Handle>
class acquire_operations {
public:
    using executor_type = Executor;

    executor_type get_executor() const noexcept { return executor_type(handle_.get_executor()); }

    /**
     * @brief Acquires the lock.
     *
     * Waits without a limit for those before it; while no server can be reached, for
     * `session_options::unreachable_limit`.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or an error makes that impossible. An acquire that waits may lose
     * its place, to a deletion from outside or to the end of the session. It then takes a new place
     * by itself.
     *
     * @par Errors
     * - `error::bad_path`, `error::nested_path`, `error::bad_servers`, `error::bad_options`,
     *   `error::bad_acl`, `error::request_too_large` (an option): nothing was sent.
     * - `error::would_deadlock`: this session holds the lock, and `session_options::own_wait`
     * refuses to wait for it.
     * - `error::wrong_kind`: a lock of another kind, or with other names, is at the path, or this
     *   session has used one there not long ago.
     * - `error::unreachable`, `error::no_chroot`, `error::auth_failed`.
     * - `error::create_denied`, `error::read_denied`, `error::write_denied`: CREATE, READ and WRITE
     *   are needed on the lock path, and so is DELETE, for the release (`error::release_denied`).
     * - `error::session_full`, `error::sequence_exhausted`, `error::path_unstable`.
     * - `error::session_closed`, `error::forked`.
     * - a code of `zookeeper_category()` for anything else that the server said.
     *
     * After an error nothing is left at the lock path: at latest when its reply arrives, or the
     * session ends.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once
     * and leaves nothing at the lock path. The session stays usable.
     *
     * @par Executor
     * The handler's associated executor, else `get_executor()`; never inline.
     *
     * @par Thread safety
     * Safe: may be called at any time from any thread.
     *
     * @par Object lifetimes
     * The operation may outlive the session object (`error::session_closed`); the destruction of
     * this object cancels it.
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(Token&& token = Token{}) {
        return handle_.template acquire<Token>(how_, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.template acquire<Token>(how_, token, &told);
    }

    /**
     * @brief Acquires the lock if nobody holds it or stands in line.
     *
     * Does not wait; a place that was taken to find out is given back. As with `std::try_to_lock`,
     * it is no error that somebody else has the lock: the result says so.
     *
     *     if (auto lock = co_await orders.try_acquire())
     *         ... // it is held
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error, and where somebody holds the lock or
     * stands in line.
     *
     * @par Completion condition
     * The lock is this caller's, or another stands before it, or an error.
     *
     * @par Errors
     * - those of `acquire`.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire`.
     *
     * @par Executor
     * As in `acquire`.
     *
     * @par Thread safety
     * Safe, as `acquire`.
     *
     * @par Object lifetimes
     * As in `acquire`.
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire(Token&& token = Token{}) {
        return handle_.template acquire<Token>(at_once(), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.template acquire<Token>(at_once(), token, &told);
    }

    /**
     * @brief Acquires the lock within a time limit.
     *
     * The limit counts from the start of the operation: with a token that starts it later, as
     * `deferred` does, from there. A limit of a year or more is none. A limit that is not above
     * zero, or is no number (a NaN), is over at once.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or the limit is over, or an error.
     *
     * @par Errors
     * - `error::timeout`: the limit is over. Nothing is left, as after any error of `acquire`.
     * - `error::unreachable`, instead, where no server is there when the limit is over.
     * - those of `acquire`.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire`.
     *
     * @par Executor
     * As in `acquire`.
     *
     * @par Thread safety
     * Safe, as `acquire`.
     *
     * @par Object lifetimes
     * As in `acquire`.
     */
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_for(std::chrono::duration<Rep, Period> limit, Token&& token = Token{}) {
        return handle_.template acquire<Token>(within(detail::limit_of(limit)), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_for(std::chrono::duration<Rep, Period> limit, diagnostics& told,
                     Token&& token = Token{}) {
        return handle_.template acquire<Token>(within(detail::limit_of(limit)), token, &told);
    }

    /**
     * @brief Acquires the lock until an instant.
     *
     * As `acquire_for`, but the limit is the instant, whenever the operation starts. The instant
     * may be of any clock: it counts as that clock tells it at the call. Handler signature,
     * completion condition, errors, per-operation cancellation, executor, thread safety and
     * lifetimes are those of `acquire_for`.
     */
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::chrono::time_point<Clock, Duration> end, Token&& token = Token{}) {
        return handle_.template acquire<Token>(within(detail::time_limit::until(end)), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::chrono::time_point<Clock, Duration> end, diagnostics& told,
                       Token&& token = Token{}) {
        return handle_.template acquire<Token>(within(detail::time_limit::until(end)), token,
                                               &told);
    }

protected:
    /// How all of this object's acquires stand in line, as far as the kind says it.
    acquire_operations(Handle handle, const detail::acquire_manner& how)
        : handle_(std::move(handle)), how_(how) {}
    /// Takes over what was made with another executor type.
    template <class Other>
    explicit acquire_operations(acquire_operations<Other, Handle>&& other) noexcept
        : handle_(std::move(other.handle_)), how_(other.how_) {}
    acquire_operations(acquire_operations&&) noexcept = default;
    acquire_operations& operator=(acquire_operations&&) noexcept = default;
    ~acquire_operations() = default;

    Handle& handle() noexcept { return handle_; }
    const Handle& handle() const noexcept { return handle_; }
    const detail::acquire_manner& how() const noexcept { return how_; }

private:
    template <class, class>
    friend class acquire_operations;

    detail::acquire_manner at_once() const {
        auto how = how_;
        how.patient = false;
        return how;
    }
    detail::acquire_manner within(const detail::time_limit& limit) const {
        auto how = how_;
        how.limit = limit;
        return how;
    }

    Handle handle_;
    detail::acquire_manner how_;
};

} // namespace turnstile
