// The distributed mutex of one node.
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
 * @brief One exclusive lock for paths where hardly ever anybody waits: whoever makes its one node
 * holds it.
 *
 * There is no line. A release wakes *every session* that waits, each tries to make the node, and
 * one of them succeeds: with n sessions waiting a release costs n events and n transactions, and
 * nothing says who is next. A session that waits may starve. Where more than a few sessions wait at
 * a time, use `mutex`. The acquires of one session compete one at a time, in their order.
 *
 * Lease, loss, fencing token and release are those of `mutex`. Both on one path is an error:
 * `error::wrong_kind`, told to whoever comes upon the other. The lock path is made with its parents
 * where it is missing, as containers; its data and its version belong to Turnstile. The lock is not
 * recursive.
 *
 * @par Thread safety
 * Safe, except for move and assignment: all members may be called at any time from any thread. One
 * that was moved from may only be destroyed or assigned to.
 *
 * @par Object lifetimes
 * Operations and held locks may outlive the object, except that its destruction cancels the
 * operations that were started through it: they complete with `operation_aborted` and leave no
 * node.
 *
 * `Executor` says which completion token is the default, in Asio's way:
 * `use_awaitable_t<>::as_default_on_t<single_node_mutex>`.
 */
template <class Executor = boost::asio::any_io_executor>
class basic_single_node_mutex {
public:
    using executor_type = Executor;
    /// The same kind of lock with another executor type.
    template <class Other>
    struct rebind_executor {
        using other = basic_single_node_mutex<Other>;
    };

    /// Does no I/O. A bad path is told by the operations.
    basic_single_node_mutex(session& owner, std::string path) : handle_(owner, std::move(path)) {}
    /// Takes over what was made with another executor type.
    template <class Other>
        requires(!std::same_as<Other, Executor>)
    explicit basic_single_node_mutex(basic_single_node_mutex<Other>&& other) noexcept
        : handle_(std::move(other.handle_)) {}

    const std::string& path() const noexcept { return handle_.path(); }
    executor_type get_executor() const noexcept { return executor_type(handle_.get_executor()); }
    /// What went on through this object so far.
    lock_usage usage() const noexcept { return handle_.usage(); }

    /**
     * @brief Acquires the lock.
     *
     * Costs one round trip where the lock is free (two where the session is new on the path).
     * Otherwise waits until the node goes, and tries again, without a limit; while no server can be
     * reached, for `session_options::unreachable_limit`.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or an error makes that impossible.
     *
     * @par Errors
     * - `error::wrong_kind`: a lock of another kind is at the path, or this session has used one
     *   there not long ago.
     * - those of `mutex::acquire`, without `error::sequence_exhausted`.
     *
     * After an error no node is left: at latest when its reply arrives, or the session ends.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once
     * and leaves no node.
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
        return handle_.acquire<Token>({.single_node = true}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({.single_node = true}, token, &told);
    }

    /**
     * @brief Acquires the lock if nobody holds it.
     *
     * Costs one round trip, whether it succeeds or not.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or somebody holds it, or an error.
     *
     * @par Errors
     * - `error::would_block`: somebody holds the lock, or waits for it in this session.
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
        return handle_.acquire<Token>({.single_node = true, .patient = false}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire(diagnostics& told, Token&& token = Token{}) {
        return handle_.acquire<Token>({.single_node = true, .patient = false}, token, &told);
    }

    /**
     * @brief Acquires the lock within a time limit.
     *
     * The limit counts from the call, as in `mutex::acquire_for`.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is this caller's, or the limit is over, or an error.
     *
     * @par Errors
     * - `error::timeout`: the limit is over. No node is left, as after any error of `acquire`.
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
        return handle_.acquire<Token>({.single_node = true, .limit = detail::limit_of(limit)},
                                      token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_for(std::chrono::duration<Rep, Period> limit, diagnostics& told,
                     Token&& token = Token{}) {
        return handle_.acquire<Token>({.single_node = true, .limit = detail::limit_of(limit)},
                                      token, &told);
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
        return handle_.acquire<Token>({.single_node = true, .limit = detail::limit_until(end)},
                                      token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::chrono::time_point<Clock, Duration> end, diagnostics& told,
                       Token&& token = Token{}) {
        return handle_.acquire<Token>({.single_node = true, .limit = detail::limit_until(end)},
                                      token, &told);
    }

    /**
     * @brief Tells who holds the lock.
     *
     * One participant or none: who waits has no node, and is known to its own session only.
     * Otherwise as `mutex::participants`.
     *
     * @par Handler signature
     * `void(error_code, std::vector<participant>)`: empty on error.
     *
     * @par Completion condition
     * All questions are answered, or an error.
     *
     * @par Errors
     * - those of `mutex::participants`.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once.
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
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  detail::default_token_t<Executor>>
    auto participants(std::size_t most = 50, Token&& token = Token{}) {
        return handle_.participants<Token>(most, token);
    }

private:
    template <class Other>
    friend class basic_single_node_mutex;

    detail::lock_handle handle_;
};

/// With `deferred` as the default token.
using single_node_mutex = basic_single_node_mutex<>;

} // namespace turnstile
