// The distributed mutex.
#pragma once

#include <turnstile/detail/default_token.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/detail/lock_handle.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/session.hpp>
#include <turnstile/usage.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile {

/**
 * @brief One exclusive lock, named by a lock path, over all processes that use the ensemble.
 *
 * First come, first served; one release wakes one waiter, whatever the length of the line. The lock
 * path is created with its parents where it is missing (container nodes, which the server removes
 * when they are empty). Its data belongs to Turnstile: each enqueue sets it to nothing. Many
 * objects may name one path, on one session or several: they exclude each other. The lock is not
 * recursive: `held_lock::share` hands out what is held.
 *
 * @par Thread safety
 * Safe, except for move and assignment: all members may be called at any time from any thread. A
 * mutex that was moved from may only be destroyed or assigned to.
 *
 * @par Object lifetimes
 * Operations and held locks may outlive the object, except that its destruction cancels the
 * operations that were started through it: they complete with `operation_aborted` and leave no
 * ticket.
 *
 * `Executor` says which completion token is the default, in Asio's way:
 * `use_awaitable_t<>::as_default_on_t<mutex>`.
 */
template <class Executor = boost::asio::any_io_executor>
class basic_mutex {
public:
    using executor_type = Executor;
    /// The same kind of lock with another executor type.
    template <class Other>
    struct rebind_executor {
        using other = basic_mutex<Other>;
    };

    /// Does no I/O. A bad path is told by acquire.
    basic_mutex(session& owner, std::string path) : handle_(owner, std::move(path)) {}
    /// Takes over what was made with another executor type.
    template <class Other>
        requires(!std::same_as<Other, Executor>)
    explicit basic_mutex(basic_mutex<Other>&& other) noexcept : handle_(std::move(other.handle_)) {}

    const std::string& path() const noexcept { return handle_.path(); }
    executor_type get_executor() const noexcept { return executor_type(handle_.get_executor()); }
    /// What was done through this object so far.
    lock_usage usage() const noexcept { return handle_.usage(); }

    /**
     * @brief Acquires the lock.
     *
     * Costs one round trip where the lock is free (two for a session that had been idle or is new
     * on the path), and no request at all when it is handed over. Waits without a limit for those
     * before it; while no server can be reached, for `session_options::unreachable_limit`.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or an error makes that impossible. A waiter whose ticket was
     * deleted from outside, or whose session expired, lines up again by itself.
     *
     * @par Errors
     * - `error::bad_path`, `error::nested_path`, `error::bad_servers`, `error::bad_options`,
     *   `error::bad_acl`, `error::request_too_large` (an option): nothing was sent.
     * - `error::unreachable`, `error::no_chroot`, `error::auth_failed`.
     * - `error::create_denied`, `error::read_denied`, `error::write_denied`: CREATE, READ and WRITE
     *   are needed on the lock path, and so is DELETE, for the release (`error::release_denied`).
     * - `error::session_full`, `error::sequence_exhausted`, `error::path_unstable`.
     * - `error::session_closed`, `error::forked`.
     * - a code of `zookeeper_category()` for anything else that the server said.
     *
     * After an error no ticket is left: at latest when its reply arrives, or the session ends.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once
     * and leaves no ticket. The session stays usable.
     *
     * @par Executor
     * The handler's associated executor, else `get_executor()`; as if by post, never inline.
     *
     * @par Thread safety
     * Safe: may be called at any time from any thread.
     *
     * @par Object lifetimes
     * The operation may outlive the session object (`error::session_closed`); the destruction of
     * this mutex cancels it.
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(Token&& token = Token{}) {
        return handle_.acquire<Token>({}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({}, token, &told);
    }

    /**
     * @brief Acquires the lock if nobody holds it or stands in line.
     *
     * Fails instead of waiting; the ticket that was taken to find out is given back.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or another's ticket stands before this one's, or an error.
     *
     * @par Errors
     * - `error::would_block`: somebody holds the lock or stands in line.
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
        return handle_.acquire<Token>({.patient = false}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({.patient = false}, token, &told);
    }

    /**
     * @brief Acquires the lock within a time limit.
     *
     * The limit counts from the call; one of a year or more is none, and one that is not above zero
     * (or is no number at all, as a NaN) is over at once.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or the limit is over, or an error.
     *
     * @par Errors
     * - `error::timeout`: the limit is over. No ticket is left, as after any error of `acquire`.
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
        return handle_.acquire<Token>({.limit = detail::limit_of(limit)}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_for(std::chrono::duration<Rep, Period> limit, diagnostics& told,
                     Token&& token = Token{}) {
        return handle_.acquire<Token>({.limit = detail::limit_of(limit)}, token, &told);
    }

    /**
     * @brief Acquires the lock until an instant.
     *
     * As `acquire_for`, with what is left until the instant at the call. Of whatever clock it is.
     */
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::chrono::time_point<Clock, Duration> end, Token&& token = Token{}) {
        return handle_.acquire<Token>({.limit = detail::limit_until(end)}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::chrono::time_point<Clock, Duration> end, diagnostics& told,
                       Token&& token = Token{}) {
        return handle_.acquire<Token>({.limit = detail::limit_until(end)}, token, &told);
    }

    /**
     * @brief Tells who stands in line: who holds the lock, who waits, in order.
     *
     * One listing gives the order. Then the data of the first tickets is asked for, up to `most` of
     * them, 64 in one flight; tell a higher number to see more. Those beyond have their names, and
     * what follows from names and order. It takes no place in line and wakes nobody. Tickets of
     * other programs are told, too.
     *
     * The line is as it was when a server listed it, which may be behind the others. What left
     * between the listing and its own question is `participant::knowledge::gone`. Readers of one
     * session that share a ticket are one participant. A lock path that does not exist has none.
     *
     * @par Handler signature
     * `void(error_code, std::vector<participant>)`: empty on error.
     *
     * @par Completion condition
     * All questions are answered, or an error. What was asked when the connection was lost is asked
     * again on the next one.
     *
     * @par Errors
     * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`: nothing
     *   was sent.
     * - `error::read_denied`: READ is denied on the lock path. A ticket that may not be read is
     *   `participant::knowledge::denied`.
     * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`.
     * - a code of `zookeeper_category()` for anything else that the server said.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once.
     *
     * @par Executor
     * The handler's associated executor, else `get_executor()`; as if by post, never inline.
     *
     * @par Thread safety
     * Safe: may be called at any time from any thread.
     *
     * @par Object lifetimes
     * The operation may outlive the session object (`error::session_closed`); the destruction of
     * this object cancels it.
     */
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  detail::default_token_t<Executor>>
    auto participants(std::size_t most = 50, Token&& token = Token{}) {
        return handle_.participants<Token>(most, token);
    }

private:
    template <class Other>
    friend class basic_mutex;

    detail::lock_handle handle_;
};

/// With `deferred` as the default token.
using mutex = basic_mutex<>;

} // namespace turnstile
