// The distributed reader-writer lock.
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
#include <utility>
#include <vector>

namespace turnstile {

/**
 * @brief One lock that many may hold to read, and one to write, named by a lock path.
 *
 * First come, first served: a reader waits for the writers before it, a writer for all before it,
 * so neither readers nor writers starve. A writer's release wakes the readers behind it, up to the
 * next writer, and nobody else; a reader's release wakes at most one writer. On one path with a
 * `mutex`, which is a writer here, they exclude each other.
 *
 * Readers of one session share a ticket: a reader beside another one of its session, held or
 * waiting, costs no request and no place in line. So it may pass a writer of another session that
 * waits; at most 64 readers join a ticket, and none passes a writer of its own session.
 *
 * The lock is not recursive, and a reader that holds it must not wait for it as a writer: it would
 * wait for itself.
 *
 * @par Thread safety
 * Safe, except for move and assignment: all members may be called at any time from any thread. One
 * that was moved from may only be destroyed or assigned to.
 *
 * @par Object lifetimes
 * Operations and held locks may outlive the object, except that its destruction cancels the
 * operations that were started through it: they complete with `operation_aborted` and leave no
 * ticket.
 *
 * `Executor` says which completion token is the default, in Asio's way:
 * `use_awaitable_t<>::as_default_on_t<shared_mutex>`.
 */
template <class Executor = boost::asio::any_io_executor>
class basic_shared_mutex {
public:
    using executor_type = Executor;
    /// The same kind of lock with another executor type.
    template <class Other>
    struct rebind_executor {
        using other = basic_shared_mutex<Other>;
    };

    /// Does no I/O. A bad path is told by the acquires.
    basic_shared_mutex(session& owner, std::string path) : handle_(owner, std::move(path)) {}
    /// Takes over what was made with another executor type.
    template <class Other>
        requires(!std::same_as<Other, Executor>)
    explicit basic_shared_mutex(basic_shared_mutex<Other>&& other) noexcept
        : handle_(std::move(other.handle_)) {}

    const std::string& path() const noexcept { return handle_.path(); }
    executor_type get_executor() const noexcept { return executor_type(handle_.get_executor()); }
    /// What was done through this object so far.
    lock_usage usage() const noexcept { return handle_.usage(); }

    /**
     * @brief Acquires the lock to write.
     *
     * Waits for everybody before it, readers and writers. Costs what `mutex::acquire` costs.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's alone, or an error makes that impossible.
     *
     * @par Errors
     * - those of `mutex::acquire`.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once
     * and leaves no ticket.
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
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = false, .patient = true}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = false, .patient = true}, token, &told);
    }

    /**
     * @brief Acquires the lock to write if nobody holds it or stands in line.
     *
     * Fails instead of waiting; the ticket that was taken to find out is given back.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's alone, or somebody stands before it, or an error.
     *
     * @par Errors
     * - `error::would_block`: somebody holds the lock or stands in line.
     * - those of `mutex::acquire`.
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
        return handle_.acquire<Token>({.shared = false, .patient = false}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = false, .patient = false}, token, &told);
    }

    /**
     * @brief Acquires the lock to write within a time limit.
     *
     * The limit counts from the call, as in `mutex::acquire_for`.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's alone, or the limit is over, or an error.
     *
     * @par Errors
     * - `error::timeout`: the limit is over.
     * - those of `mutex::acquire`.
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
        return handle_.acquire<Token>({.shared = false, .limit = detail::limit_of(limit)}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_for(std::chrono::duration<Rep, Period> limit, diagnostics& told,
                     Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = false, .limit = detail::limit_of(limit)}, token,
                                      &told);
    }

    /**
     * @brief Acquires the lock to write until an instant.
     *
     * As `acquire_for`, with what is left until the instant at the call. Of whatever clock it is.
     */
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::chrono::time_point<Clock, Duration> end, Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = false, .limit = detail::limit_until(end)}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::chrono::time_point<Clock, Duration> end, diagnostics& told,
                       Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = false, .limit = detail::limit_until(end)}, token,
                                      &told);
    }

    /**
     * @brief Acquires the lock to read.
     *
     * Waits for the last writer before it. Costs no request beside a reader of this session, held
     * or waiting.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is held by readers alone, this one among them, or an error makes that impossible.
     *
     * @par Errors
     * - those of `mutex::acquire`.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire`. Others that share the ticket keep it.
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
    auto acquire_shared(Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .patient = true}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .patient = true}, token, &told);
    }

    /**
     * @brief Acquires the lock to read if no writer holds it or stands in line.
     *
     * Fails instead of waiting; the ticket that was taken to find out is given back.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is held by readers alone, this one among them, or a writer stands before it, or an
     * error.
     *
     * @par Errors
     * - `error::would_block`: a writer holds the lock or stands in line.
     * - those of `mutex::acquire`.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire_shared`.
     *
     * @par Executor
     * As in `acquire_shared`.
     *
     * @par Thread safety
     * Safe, as `acquire_shared`.
     *
     * @par Object lifetimes
     * As in `acquire_shared`.
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire_shared(Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .patient = false}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire_shared(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .patient = false}, token, &told);
    }

    /**
     * @brief Acquires the lock to read within a time limit.
     *
     * The limit counts from the call, as in `mutex::acquire_for`. Each of those that share a ticket
     * has its own.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is held by readers alone, this one among them, or the limit is over, or an error.
     *
     * @par Errors
     * - `error::timeout`: the limit is over.
     * - those of `mutex::acquire`.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire_shared`.
     *
     * @par Executor
     * As in `acquire_shared`.
     *
     * @par Thread safety
     * Safe, as `acquire_shared`.
     *
     * @par Object lifetimes
     * As in `acquire_shared`.
     */
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared_for(std::chrono::duration<Rep, Period> limit, Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .limit = detail::limit_of(limit)}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared_for(std::chrono::duration<Rep, Period> limit, diagnostics& told,
                            Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .limit = detail::limit_of(limit)}, token,
                                      &told);
    }

    /**
     * @brief Acquires the lock to read until an instant.
     *
     * As `acquire_for_shared`, with what is left until the instant at the call. Of whatever clock
     * it is.
     */
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared_until(std::chrono::time_point<Clock, Duration> end,
                              Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .limit = detail::limit_until(end)}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared_until(std::chrono::time_point<Clock, Duration> end, diagnostics& told,
                              Token&& token = Token{}) {
        return handle_.acquire<Token>({.shared = true, .limit = detail::limit_until(end)}, token,
                                      &told);
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
    friend class basic_shared_mutex;

    detail::lock_handle handle_;
};

/// With `deferred` as the default token.
using shared_mutex = basic_shared_mutex<>;

} // namespace turnstile
