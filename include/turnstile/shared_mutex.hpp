// The distributed reader-writer lock.
#pragma once

#include <turnstile/detail/default_token.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lock_names.hpp>
#include <turnstile/lock_object.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <utility>

namespace turnstile {

struct shared_mutex_options {
    /// All who use the lock path must have the same. Who lists the path and finds the other names
    /// there is told `error::wrong_kind`.
    lock_names names = lock_names::turnstile;
};

/**
 * @brief One lock that many may hold to read, and one to write, named by a lock path.
 *
 * First come, first served: a reader waits for the writers before it, a writer for all before it,
 * so neither readers nor writers starve. A writer's release wakes the readers behind it, up to the
 * next writer, and nobody else. A reader's release wakes at most one writer. A `mutex` on the same
 * path is a writer here: both exclude each other.
 *
 * With `{.names = lock_names::curator}` the lock stands in line with Curator's
 * InterProcessReadWriteLock. It then costs the same, but can be neither downgraded nor upgraded,
 * and a `mutex` may not be on its path.
 *
 * `acquire`, `try_acquire`, `acquire_for` and `acquire_until` are a writer's, and cost what a
 * `mutex` costs.
 *
 * Readers of one session share a ticket. A reader that joins another reader of its session, which
 * holds or waits, costs no request and no place in line. So it may pass a writer of another session
 * that waits, but no writer of its own session. At most 64 readers join a ticket.
 *
 * The lock is not recursive, and a reader that holds it must not wait for it as a writer: it would
 * wait for itself.
 *
 * Operations, thread safety and lifetimes: `basic_lock_object`, `acquire_operations`.
 */
template <class Executor = boost::asio::any_io_executor>
class basic_shared_mutex : public basic_lock_object<Executor> {
public:
    /// The same kind of lock with another executor type.
    template <class Other>
    struct rebind_executor {
        using other = basic_shared_mutex<Other>;
    };

    /// Does no I/O. A bad path is told by the operations.
    basic_shared_mutex(session& owner, std::string path, const shared_mutex_options& options = {})
        : basic_lock_object<Executor>(owner, std::move(path), {.names = options.names}) {}
    /// Takes over what was made with another executor type.
    template <class Other>
        requires(!std::same_as<Other, Executor>)
    explicit basic_shared_mutex(basic_shared_mutex<Other>&& other) noexcept
        : basic_lock_object<Executor>(std::move(other)) {}

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
     * - those of `acquire`.
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
        return this->handle().template acquire<Token>(reads(), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared(diagnostics& told, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(reads(), token, &told);
    }

    /**
     * @brief Acquires the lock to read if no writer holds it or stands in line.
     *
     * Does not wait; the ticket that was taken to find out is given back.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error, and where a writer holds the lock or
     * stands in line.
     *
     * @par Completion condition
     * The lock is held by readers alone, this one among them, or a writer stands before it, or an
     * error.
     *
     * @par Errors
     * - those of `acquire`.
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
        return this->handle().template acquire<Token>(reads(false), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire_shared(diagnostics& told, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(reads(false), token, &told);
    }

    /**
     * @brief Acquires the lock to read within a time limit.
     *
     * The limit counts from the start of the operation, as in `acquire_for`. Each of those that
     * share a ticket has its own.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The lock is held by readers alone, this one among them, or the limit is over, or an error.
     *
     * @par Errors
     * - `error::timeout`: the limit is over.
     * - those of `acquire`.
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
        return this->handle().template acquire<Token>(reads(true, detail::limit_of(limit)), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared_for(std::chrono::duration<Rep, Period> limit, diagnostics& told,
                            Token&& token = Token{}) {
        return this->handle().template acquire<Token>(reads(true, detail::limit_of(limit)), token,
                                                      &told);
    }

    /**
     * @brief Acquires the lock to read until an instant.
     *
     * As `acquire_shared_for`, but the limit is the instant, as in `acquire_until`. All else is
     * that of `acquire_shared_for`.
     */
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared_until(std::chrono::time_point<Clock, Duration> end,
                              Token&& token = Token{}) {
        return this->handle().template acquire<Token>(reads(true, detail::time_limit::until(end)),
                                                      token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_shared_until(std::chrono::time_point<Clock, Duration> end, diagnostics& told,
                              Token&& token = Token{}) {
        return this->handle().template acquire<Token>(reads(true, detail::time_limit::until(end)),
                                                      token, &told);
    }

private:
    friend class lock_part;

    detail::acquire_manner reads(bool patient = true, detail::time_limit limit = {}) const {
        auto how = this->how();
        how.shared = true;
        how.patient = patient;
        how.limit = limit;
        return how;
    }
};

/// With `deferred` as the default token.
using shared_mutex = basic_shared_mutex<>;

} // namespace turnstile
