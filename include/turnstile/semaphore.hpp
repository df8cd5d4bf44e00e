// The distributed counting semaphore.
#pragma once

#include <turnstile/detail/default_token.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/limit_operations.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace turnstile {

class lock_part;

/**
 * @brief At most N leases of a path, over all processes.
 *
 * N, the limit, is stored with the semaphore. If the semaphore is missing, the first acquire
 * through an object with a limit makes it, and so does `set_limit`, which also changes it. An
 * object without a limit takes what is there. The nodes stay until `remove`: they keep the limit.
 *
 * First come, first served, strictly: an acquire of many leases keeps all behind it waiting. One
 * waiter is woken at a time. An acquire of several leases is one `held_lock`: they are released
 * together, and when one is lost, all are lost. The operations without a count acquire one lease.
 *
 * An acquire costs one round trip where enough leases are free and nobody stands in line (two where
 * the session is new on the path). A `try_acquire` costs the same, whether it succeeds or not. It
 * gets none where too few leases are free, or somebody stands in line. Once in an eighth of the
 * session timeout it costs more then: it asks whether what it found belongs to a session.
 *
 * Besides the errors of `acquire_operations`, every acquire has these:
 * - `error::too_many`: more leases than the limit, also where it is lowered while this waits. A
 * limit of 0 would let nobody in.
 * - `error::request_too_large`: more than 1,000 leases, or too many for the length of path and
 * label.
 * - `error::limit_differs`: the semaphore has another limit than this object states. A `set_limit`
 *   through this object changes what it states.
 * - `error::no_limit`: there is no semaphore, and this object states no limit.
 *
 * Deadline, loss and release of a held lease, and time limits, are those of a `mutex`. The fencing
 * token names the transaction that made the leases. With a limit above 1 several hold at a time, so
 * **a store must not compare the tokens of a semaphore**: a smaller one is no older holder. That
 * holds for a part of a `multi_lock`, too. If a lock of another kind is on the path, whoever finds
 * it is told `error::wrong_kind`.
 *
 * Operations, thread safety and lifetimes: `acquire_operations`.
 */
template <class Executor = boost::asio::any_io_executor>
class basic_semaphore : public limit_operations<Executor> {
    using base = limit_operations<Executor>;

public:
    /// The same kind of lock with another executor type.
    template <class Other>
    struct rebind_executor {
        using other = basic_semaphore<Other>;
    };

    /// Does no I/O. A bad path is told by the operations.
    basic_semaphore(session& owner, std::string path, std::optional<std::uint32_t> limit = {})
        : base(owner, std::move(path), limit) {}
    /// Takes over what was made with another executor type.
    template <class Other>
        requires(!std::same_as<Other, Executor>)
    explicit basic_semaphore(basic_semaphore<Other>&& other) noexcept : base(std::move(other)) {}

    using base::acquire;
    using base::acquire_for;
    using base::acquire_until;
    using base::try_acquire;

    /**
     * @brief Acquires several leases.
     *
     * `count` is at least 1: 0 counts as 1. Waits as `acquire_operations::acquire` does.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The leases are this caller's, or an error makes that impossible.
     *
     * @par Errors
     * - those of the class comment.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire_operations::acquire`: no lease is left.
     *
     * @par Executor
     * As in `acquire_operations::acquire`.
     *
     * @par Thread safety
     * Safe, as `acquire_operations::acquire`.
     *
     * @par Object lifetimes
     * As in `acquire_operations::acquire`.
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(std::uint32_t count, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(manner(count), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire(std::uint32_t count, diagnostics& told, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(manner(count), token, &told);
    }

    /**
     * @brief Acquires several leases if enough are free and nobody stands in line.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error, and where too few are free, or
     * somebody stands in line.
     *
     * @par Completion condition
     * The leases are this caller's, or too few are free, or somebody stands in line, or an error.
     *
     * @par Errors
     * - those of the class comment.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire_operations::acquire`: no lease is left.
     *
     * @par Executor
     * As in `acquire_operations::acquire`.
     *
     * @par Thread safety
     * Safe, as `acquire_operations::acquire`.
     *
     * @par Object lifetimes
     * As in `acquire_operations::acquire`.
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire(std::uint32_t count, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(manner(count, false), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto try_acquire(std::uint32_t count, diagnostics& told, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(manner(count, false), token, &told);
    }

    /**
     * @brief Acquires several leases within a time limit.
     *
     * The time limit counts as in `acquire_operations::acquire_for`.
     *
     * @par Handler signature
     * `void(error_code, held_lock)`: an empty lock on error.
     *
     * @par Completion condition
     * The leases are this caller's, or the limit is over, or an error.
     *
     * @par Errors
     * - `error::timeout`: the limit is over.
     * - those of the class comment.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, as in `acquire_operations::acquire`: no lease is left.
     *
     * @par Executor
     * As in `acquire_operations::acquire`.
     *
     * @par Thread safety
     * Safe, as `acquire_operations::acquire`.
     *
     * @par Object lifetimes
     * As in `acquire_operations::acquire`.
     */
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_for(std::uint32_t count, std::chrono::duration<Rep, Period> limit,
                     Token&& token = Token{}) {
        return this->handle().template acquire<Token>(manner(count, true, detail::limit_of(limit)),
                                                      token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_for(std::uint32_t count, std::chrono::duration<Rep, Period> limit,
                     diagnostics& told, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(manner(count, true, detail::limit_of(limit)),
                                                      token, &told);
    }

    /**
     * @brief Acquires several leases until an instant.
     *
     * As `acquire_for`, but the limit is the instant, as in
     * `acquire_operations::acquire_until`. All else is that
     * of `acquire_for`.
     */
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::uint32_t count, std::chrono::time_point<Clock, Duration> end,
                       Token&& token = Token{}) {
        return this->handle().template acquire<Token>(
            manner(count, true, detail::time_limit::until(end)), token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Clock, class Duration,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  detail::default_token_t<Executor>>
    auto acquire_until(std::uint32_t count, std::chrono::time_point<Clock, Duration> end,
                       diagnostics& told, Token&& token = Token{}) {
        return this->handle().template acquire<Token>(
            manner(count, true, detail::time_limit::until(end)), token, &told);
    }

private:
    friend class lock_part;

    detail::acquire_manner manner(std::uint32_t count, bool patient = true,
                                  detail::time_limit limit = {}) const {
        auto how = this->how();
        how.leases = count > 0 ? count : 1;
        how.patient = patient;
        how.limit = limit;
        return how;
    }
};

/// With `deferred` as the default token.
using semaphore = basic_semaphore<>;

} // namespace turnstile
