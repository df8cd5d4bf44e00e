// SPDX-License-Identifier: BSL-1.0
// What the locks of one lock path have in common.
#pragma once

#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/lock_base.hpp>
#include <turnstile/participant.hpp>
#include <turnstile/usage.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace turnstile {

class lock_view;
class session;
namespace protocol {
struct acquire_request;
}

/**
 * @brief A lock path of a session, and the operations on it.
 *
 * `mutex`, `shared_mutex`, `single_node_mutex` and `semaphore` are such locks. The lock path is
 * created with its parents where it is missing (container nodes, which the server removes when they
 * are empty). Its data and its version belong to Turnstile. Many objects may name one path.
 *
 * The acquires, and what holds for all operations (executor, thread safety, lifetimes):
 * `lock_base`. The operations besides the acquires are cancelled as these are, and have these
 * errors in common:
 * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`,
 *   `error::request_too_large` (an option): nothing was sent.
 * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`.
 * - a code of `zookeeper_category()` for any other answer of the server.
 *
 * What an operation changes may be changed after one of the last two, and after a cancellation: its
 * request was sent before. What was asked when the connection was lost is asked again on the next
 * one.
 */
class path_lock : public lock_base<detail::lock_object> {
public:
    /// Of how many participants details are asked for, unless the caller says.
    static constexpr std::size_t usual_details = 50;

    TURNSTILE_API const std::string& path() const noexcept;
    /// What was done so far through this object and its views.
    TURNSTILE_API lock_usage usage() const noexcept;

    /**
     * @brief Lists who stands in line: who holds the lock, who waits, in order.
     *
     * One listing gives the order; of a semaphore it takes three, in two flights. Then the data of
     * the first participants is asked for, up to `most` of them, 64 in one flight. Those beyond
     * have their names, and what follows from names and order. Of a semaphore each permit is one
     * participant, and the permits come before the tickets. Readers of one session that share a
     * ticket are one participant. A lock path that does not exist has none.
     *
     * The queue is as it was when a server listed it, which may be behind the others. Completes
     * with `void(error_code, std::vector<participant>)`.
     *
     * @par Errors
     * - `error::read_denied`: READ is denied on the lock path. A ticket that may not be read is
     *   `participant::knowledge::denied`.
     */
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  boost::asio::deferred_t>
    auto participants(std::size_t most = usual_details, Token&& token = Token{}) {
        return survey<Token>(most, {}, token);
    }

    /// The same, with the details of the first `usual_details`.
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token>
        requires(!std::is_convertible_v<Token, std::size_t>) // a number is no token
    auto participants(Token&& token) { return survey<Token>(usual_details, {}, token); }

    /// As `participants`, within a time limit that counts as in `acquire_for`, and with its two
    /// errors.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  boost::asio::deferred_t>
    auto participants_for(std::chrono::duration<Rep, Period> limit,
                          std::size_t most = usual_details, Token&& token = Token{}) {
        return survey<Token>(most, detail::limit_of(limit), token);
    }

    /**
     * @brief The same lock, to be held for so long at most.
     *
     *     auto lock = co_await orders.at_most(1h).acquire();
     *
     * The time counts from the grant. When it is over, the lock is lost (`error::held_too_long`).
     * The ticket is deleted by `session_options::margin` later, or with the release: others wait no
     * longer for a holder that hangs, while the session's thread runs. `wait_at_risk` completes
     * before.
     *
     * Downgrade and upgrade do not change the time. Of a part of a `multi_lock` it counts from the
     * grant of that part. A limit of a year or more is none. With one that is not above zero (or a
     * NaN) each acquire fails with `boost::asio::error::invalid_argument`.
     */
    template <class Rep, class Period>
    lock_view at_most(std::chrono::duration<Rep, Period> limit) const; // in lock_view.hpp

    /**
     * @brief Deletes somebody's ticket or permit, as an operator does who cannot end its process.
     *
     * Its owner learns that the lock is lost (`error::ticket_deleted`), at the latest when it next
     * proves its lease. **But the next in line may hold the lock before that owner knows**: only
     * fencing tokens keep the two apart. A waiter whose ticket is deleted lines up again. Of
     * several permits that one acquire took, all are lost with one.
     *
     * `who` is one that `participants()` listed, with its details. If it has left, the operation
     * succeeds, and deletes nothing. It costs two round trips; of a `single_node_mutex`, three.
     *
     * @par Errors
     * - `boost::asio::error::invalid_argument`: `who` has no details.
     * - `error::read_denied`, `error::release_denied`: READ on the ticket and DELETE on its parent
     *   are needed.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto evict(const participant& who, Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(object_, &start_evict, token, who);
    }

    /**
     * @brief Asks the holder of the moment to let go, and waits until it has.
     *
     * The holder learns it by `held_lock::wait_yield`; whether it lets go is its own affair. While
     * this waits, an ephemeral node `<path>%yield` says who asks, why, and which ticket is meant.
     * The lock is the next one's in line then, which need not be the caller. Of readers the first
     * in line is asked. Not of a `semaphore`.
     *
     * Completes with `void(error_code)`, when the ticket that was meant is gone. A cancellation
     * takes the request back. `error::not_held`: the lock is free. `error::create_denied`,
     * `error::read_denied`: beside the lock path, or on it.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto ask_to_yield(std::string reason, Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(object_, &start_ask, token,
                                                         std::move(reason));
    }

    /**
     * @brief The same lock, whose acquires ask those before them to let go.
     *
     *     auto lock = co_await client.asking("taken over").acquire();
     *
     * An acquire that has to wait lines up, and then does what `ask_to_yield` does with each that
     * comes to hold the lock before it, never with itself. Where it ends, is cancelled or has the
     * lock, the request is taken back. Holders of this session are asked as well. Where the holder
     * may not be asked, the log says so and the acquire waits. With a `semaphore` or a
     * `single_node_mutex` it fails with `boost::asio::error::operation_not_supported`.
     */
    TURNSTILE_API lock_view asking(std::string reason) const;

protected:
    /// Of the library's own: what each acquire asks for.
    path_lock(session& owner, const protocol::acquire_request& what);
    path_lock(path_lock&&) noexcept = default;
    TURNSTILE_API path_lock& operator=(path_lock&& other) noexcept;
    TURNSTILE_API ~path_lock();

    using object_ptr = std::shared_ptr<detail::lock_object>;
    using plain_handler = detail::erased_handler<void(error_code)>;

private:
    friend class lock_view;
    using survey_handler = detail::erased_handler<void(error_code, std::vector<participant>)>;

    template <class Token>
    auto survey(std::size_t most, detail::time_limit limit, std::remove_reference_t<Token>& token) {
        return detail::initiate<void(error_code, std::vector<participant>), Token>(
            object_, &start_survey, token, most, limit);
    }

    TURNSTILE_API static void start_survey(const object_ptr& object, std::size_t most,
                                           detail::time_limit limit, survey_handler done);
    TURNSTILE_API static void start_ask(const object_ptr& object, const std::string& reason,
                                        plain_handler done);
    TURNSTILE_API static void start_evict(const object_ptr& object, const participant& who,
                                          plain_handler done);
};

} // namespace turnstile
