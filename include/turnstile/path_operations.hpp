// What the locks of one lock path have in common.
#pragma once

#include <turnstile/acquire_operations.hpp>
#include <turnstile/detail/default_token.hpp>
#include <turnstile/detail/lock_handle.hpp>
#include <turnstile/diagnostics.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/usage.hpp>

#include <boost/asio/async_result.hpp>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace turnstile {

/**
 * @brief What can be asked of a lock path, beside the acquires.
 *
 * Not made by itself: `mutex`, `shared_mutex`, `single_node_mutex` and `semaphore` have these
 * operations.
 *
 * @par Thread safety
 * As `acquire_operations`.
 *
 * @par Object lifetimes
 * As `acquire_operations`.
 */
template <class Executor>
class path_operations : public acquire_operations<Executor, detail::lock_handle> {
    using base = acquire_operations<Executor, detail::lock_handle>;

public:
    /// Of how many participants details are asked for, unless the caller says.
    static constexpr std::size_t usual_details = 50;

    const std::string& path() const noexcept { return this->handle().path(); }
    /// What was done through this object so far.
    lock_usage usage() const noexcept { return this->handle().usage(); }

    /**
     * @brief Tells who stands in line: who holds the lock, who waits, in order.
     *
     * One listing gives the order; of a semaphore it takes three, in two flights. Then the data of
     * the first participants is asked for, up to `most` of them, 64 in one flight; tell a higher
     * number to see more. Those beyond have their names, and what follows from names and order. It
     * takes no place in line and wakes nobody. Tickets of other programs are told, too. Of a
     * semaphore each lease is one participant, also where an acquire took several, and the leases
     * come before the tickets.
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
     * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`,
     *   `error::request_too_large` (an option): nothing was sent.
     * - `error::read_denied`: READ is denied on the lock path. A ticket that may not be read is
     *   `participant::knowledge::denied`.
     * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`.
     * - a code of `zookeeper_category()` for anything else that the server said.
     *
     * @par Per-operation cancellation
     * Terminal, partial and total, each in every phase: completes with `operation_aborted` at once.
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
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  detail::default_token_t<Executor>>
    auto participants(std::size_t most = usual_details, Token&& token = Token{}) {
        return this->handle().template participants<Token>({.most = most}, token);
    }

    /// The same, with the details of the first `usual_details`.
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token>
        requires(!std::is_convertible_v<Token, std::size_t>) // a number is no token
    auto participants(Token&& token) {
        return this->handle().template participants<Token>({.most = usual_details}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  detail::default_token_t<Executor>>
    auto participants(std::size_t most, diagnostics& told, Token&& token = Token{}) {
        return this->handle().template participants<Token>({.most = most}, token, &told);
    }
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  detail::default_token_t<Executor>>
    auto participants(diagnostics& told, Token&& token = Token{}) {
        return this->handle().template participants<Token>({.most = usual_details}, token, &told);
    }

    /**
     * @brief Tells who stands in line, within a time limit.
     *
     * As `participants`. The limit counts as in `acquire_operations::acquire_for`. Handler
     * signature, completion condition, errors, per-operation cancellation, executor, thread safety
     * and lifetimes are those of `participants`, with two more errors: `error::timeout`, where the
     * limit is over, and `error::unreachable`, where no server is there by then.
     */
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  detail::default_token_t<Executor>>
    auto participants_for(std::chrono::duration<Rep, Period> limit,
                          std::size_t most = usual_details, Token&& token = Token{}) {
        return this->handle().template participants<Token>(
            {.most = most, .limit = detail::limit_of(limit)}, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  detail::default_token_t<Executor>>
    auto participants_for(std::chrono::duration<Rep, Period> limit, std::size_t most,
                          diagnostics& told, Token&& token = Token{}) {
        return this->handle().template participants<Token>(
            {.most = most, .limit = detail::limit_of(limit)}, token, &told);
    }

    /**
     * @brief Deletes somebody's ticket or lease, as an operator does who cannot end its process.
     *
     * Its owner is told that the lock is lost (`error::ticket_deleted`), at the latest when it next
     * proves its lease. **But the next in line may hold the lock before that owner knows**: only
     * fencing tokens keep the two apart. A waiter whose ticket is deleted lines up again. Where an
     * acquire took several leases of a semaphore, all of them are lost with one.
     *
     * `who` is one that `participants()` told of, with its details. Nothing but that one is
     * deleted. If it has left, the operation succeeds, also where another has its name by now. It
     * costs two round trips; of a `single_node_mutex`, three.
     *
     * @par Handler signature
     * `void(error_code)`
     *
     * @par Completion condition
     * The ticket is gone, or an error. Where the answer was lost with the connection, it is looked
     * for again.
     *
     * @par Errors
     * - `boost::asio::error::invalid_argument`: `who` has no details.
     * - `error::read_denied`, `error::release_denied`: READ on the ticket and DELETE on its parent
     *   are needed.
     * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`,
     *   `error::request_too_large` (an option): nothing was sent.
     * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`: it
     *   may be gone, if the request was sent before.
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
    auto evict(const participant& who, Token&& token = Token{}) {
        return this->handle().template evict<Token>(who, token);
    }

    /// The same, and says in `told` what is known of a failure. It must live until the completion.
    template <boost::asio::completion_token_for<void(error_code)> Token =
                  detail::default_token_t<Executor>>
    auto evict(const participant& who, diagnostics& told, Token&& token = Token{}) {
        return this->handle().template evict<Token>(who, token, &told);
    }

protected:
    path_operations(detail::lock_handle&& handle, const detail::acquire_manner& how)
        : base(std::move(handle), how) {}
    template <class Other>
    explicit path_operations(path_operations<Other>&& other) noexcept : base(std::move(other)) {}
    path_operations(path_operations&&) noexcept = default;
    path_operations& operator=(path_operations&&) noexcept = default;
    ~path_operations() = default;
};

} // namespace turnstile
