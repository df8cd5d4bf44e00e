// The operations on a semaphore that take no lease.
#pragma once

#include <turnstile/detail/default_token.hpp>
#include <turnstile/detail/lock_handle.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/path_operations.hpp>
#include <turnstile/session.hpp>

#include <boost/asio/async_result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace turnstile {

/**
 * @brief The limit of a semaphore, and its end.
 *
 * Not made by itself: `semaphore` has these operations.
 *
 * @par Thread safety
 * As `acquire_operations`.
 *
 * @par Object lifetimes
 * As `acquire_operations`. A change that was sent when the object goes may yet be made.
 */
template <class Executor>
class limit_operations : public path_operations<Executor> {
public:
    /**
     * @brief Sets the limit, for all who use the semaphore.
     *
     * Makes the semaphore if it is missing. A higher limit wakes the first in line. A lower limit
     * takes nothing away: whoever holds keeps its leases, and those who wait get none until enough
     * are back. An acquire that waits for more leases than the new limit fails with
     * `error::too_many`.
     *
     * Acquires through an object that was made with another limit fail with `error::limit_differs`
     * from now on. The stated limit of this object, if it was made with one, becomes `limit` when
     * this succeeds; and so does that of each `lock_part` made from it. It costs two round trips.
     *
     * @par Handler signature
     * `void(error_code)`
     *
     * @par Completion condition
     * The limit is set, or an error. Where the answer was lost with the connection, or others set
     * the limit at the same time, it is read and set again, as long as that goes on.
     *
     * @par Errors
     * - `error::too_many`: a limit of 0 would let nobody in.
     * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`,
     *   `error::request_too_large` (an option): nothing was sent.
     * - `error::wrong_kind`, `error::nested_path`: a lock of another kind is at the path, or other
     *   nodes are below it.
     * - `error::would_block`: the limit is missing, for another hand has deleted it, and somebody
     *   still holds or stands in line.
     * - `error::create_denied`, `error::read_denied`, `error::write_denied`,
     *   `error::release_denied`: as in `acquire`. WRITE is needed on the node `limit`.
     * - `error::path_unstable`: the semaphore vanished again and again.
     * - `error::unreachable`, `error::no_chroot`, `error::auth_failed`, `error::session_closed`,
     *   `error::forked`: the limit may be set, if the request was sent before.
     * - a code of `zookeeper_category()` for anything else that the server said.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once.
     * A request that was sent before may yet be carried out.
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
    template <boost::asio::completion_token_for<void(error_code)> Token =
                  detail::default_token_t<Executor>>
    auto set_limit(std::uint32_t limit, Token&& token = Token{}) {
        return this->handle().template set_limit<Token>(limit, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code)> Token =
                  detail::default_token_t<Executor>>
    auto set_limit(std::uint32_t limit, diagnostics& told, Token&& token = Token{}) {
        return this->handle().template set_limit<Token>(limit, token, &told);
    }

    /**
     * @brief Tells the limit that is stored.
     *
     * One round trip. It is the limit that the server knows, which may be behind the others.
     *
     * @par Handler signature
     * `void(error_code, std::uint32_t)`: 0 on error.
     *
     * @par Completion condition
     * The limit was read, or an error. Where the answer was lost with the connection, it is asked
     * for again.
     *
     * @par Errors
     * - `error::no_limit`: there is no semaphore.
     * - `error::wrong_kind`: the node `limit` is another program's.
     * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`,
     *   `error::request_too_large` (an option): nothing was sent.
     * - `error::read_denied`, `error::unreachable`, `error::auth_failed`, `error::session_closed`,
     *   `error::forked`.
     * - a code of `zookeeper_category()` for anything else that the server said.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once.
     *
     * @par Executor
     * As in `set_limit`.
     *
     * @par Thread safety
     * Safe, as `set_limit`.
     *
     * @par Object lifetimes
     * As in `set_limit`.
     */
    template <boost::asio::completion_token_for<void(error_code, std::uint32_t)> Token =
                  detail::default_token_t<Executor>>
    auto limit(Token&& token = Token{}) {
        return this->handle().template limit<Token>(token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, std::uint32_t)> Token =
                  detail::default_token_t<Executor>>
    auto limit(diagnostics& told, Token&& token = Token{}) {
        return this->handle().template limit<Token>(token, &told);
    }

    /**
     * @brief Takes the semaphore away, if nobody holds a lease or stands in line.
     *
     * Deletes its nodes and forgets the limit. The lock path itself stays; a server removes a
     * container node by itself when it is empty. The next acquire with a limit makes the semaphore
     * again. It costs three round trips.
     *
     * @par Handler signature
     * `void(error_code)`
     *
     * @par Completion condition
     * The semaphore is gone, or an error. It is a success where there is none. Where the answer was
     * lost with the connection, or others change the semaphore at the same time, it is looked at
     * and deleted again.
     *
     * @par Errors
     * - `error::would_block`: somebody holds a lease, stands in line, or tries to acquire just now.
     *   Nothing was deleted.
     * - `error::wrong_kind`: the node `limit` is another program's.
     * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`,
     *   `error::request_too_large` (an option): nothing was sent.
     * - `error::read_denied`, `error::write_denied`, `error::release_denied`: READ, WRITE and
     *   DELETE are needed on the lock path.
     * - `error::path_unstable`: the semaphore vanished again and again.
     * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`: it
     *   may be gone, if the request was sent before.
     * - a code of `zookeeper_category()` for anything else that the server said.
     *
     * @par Per-operation cancellation
     * As in `set_limit`.
     *
     * @par Executor
     * As in `set_limit`.
     *
     * @par Thread safety
     * Safe, as `set_limit`.
     *
     * @par Object lifetimes
     * As in `set_limit`.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token =
                  detail::default_token_t<Executor>>
    auto remove(Token&& token = Token{}) {
        return this->handle().template remove<Token>(token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code)> Token =
                  detail::default_token_t<Executor>>
    auto remove(diagnostics& told, Token&& token = Token{}) {
        return this->handle().template remove<Token>(token, &told);
    }

protected:
    /// Does no I/O. A bad path is told by the operations.
    limit_operations(session& owner, std::string path, std::optional<std::uint32_t> limit)
        : path_operations<Executor>(
              detail::lock_handle(owner, std::move(path)),
              {.states_limit = limit.has_value(), .leases = 1, .stated_limit = limit.value_or(0)}) {
    }
    template <class Other>
    explicit limit_operations(limit_operations<Other>&& other) noexcept
        : path_operations<Executor>(std::move(other)) {}
    limit_operations(limit_operations&&) noexcept = default;
    limit_operations& operator=(limit_operations&&) noexcept = default;
    ~limit_operations() = default;
};

} // namespace turnstile
