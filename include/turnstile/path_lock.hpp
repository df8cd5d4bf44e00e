// SPDX-License-Identifier: BSL-1.0
// The base class of all locks that have one lock path.
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
#include <optional>
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
 * `mutex`, `shared_mutex`, `single_node_mutex`, `semaphore` and `election` are such locks. If the
 * lock path is missing, it is created with its parents (container nodes, which the server removes
 * when they are empty). Its data and its version belong to Turnstile. Many objects may name one
 * path.
 *
 * `lock_base` has the acquires, and the rules for all operations (executor, thread safety,
 * lifetimes). The operations besides the acquires have these errors in common:
 * - `error::bad_path`, `error::bad_servers`, `error::bad_options`, `error::bad_acl`,
 *   `error::request_too_large` (an option): nothing was sent.
 * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`.
 * - a code of `zookeeper_category()` for any other answer of the server.
 *
 * After an error of the last two lines the change of an operation may have happened, since its
 * request may have been sent. If the connection is lost while an operation reads, it reads again on
 * the next connection.
 *
 * @par Per-operation cancellation
 * Terminal, partial and total: the operation completes with `operation_aborted` at once. If it
 * makes a change, and its request was sent, it accepts `terminal` alone, and the change may happen.
 */
class path_lock : public lock_base<detail::lock_object> {
public:
    /// The number of participants whose details `list_participants` reads, if the caller names
    /// none.
    static constexpr std::size_t usual_details = 50;

    TURNSTILE_API const std::string& path() const noexcept;
    /// Counts of all that was done so far through this object and its views.
    TURNSTILE_API lock_usage usage() const noexcept;

    /**
     * @brief Lists the queue in its order: the holders of the lock, and those who wait.
     *
     * One request lists the queue. A semaphore needs three requests, in two round trips. Then the
     * data of the first `most` participants is read, 64 of them in each round trip. Of the others
     * only the name is known, and what follows from it. Each permit of a semaphore is one
     * participant, and the permits come before the tickets. Readers of one session that share a
     * ticket are one participant. If the lock path does not exist, the list is empty.
     *
     * The list comes from one server, which may be behind the others. Completes with
     * `void(error_code, std::vector<participant>)`.
     *
     * @par Errors
     * - `error::read_denied`: READ is denied on the lock path. If a ticket cannot be read, its
     *   participant has `participant::knowledge::denied`, and the operation succeeds.
     */
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  boost::asio::deferred_t>
    auto list_participants(std::size_t most = usual_details, Token&& token = Token{}) const {
        return survey<Token>(most, {}, token);
    }

    /// Lists the queue, with the details of the first `usual_details` participants.
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token>
        requires(!std::is_convertible_v<Token, std::size_t>) // a number is no token
    auto list_participants(Token&& token) const { return survey<Token>(usual_details, {}, token); }

    /// Lists the queue within a time limit. The limit counts as in `acquire_for`, and its end has
    /// the same two errors.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  boost::asio::deferred_t>
    auto list_participants_for(std::chrono::duration<Rep, Period> limit,
                               std::size_t most = usual_details, Token&& token = Token{}) const {
        return survey<Token>(most, detail::limit_of(limit), token);
    }

    /**
     * @brief Returns a view of this lock whose acquires hold it for at most this time.
     *
     *     auto lock = co_await orders.at_most(1h).acquire();
     *
     * The time counts from the grant. When it is over, the lock is lost (`error::held_too_long`);
     * `wait_at_risk` completes before. The ticket is deleted with the release, or
     * `session_options::margin` later at the latest. So others do not wait for a holder that hangs,
     * as long as the session's thread runs.
     *
     * Downgrade and upgrade do not change the time. In a `multi_lock` the time of a part counts
     * from the grant of that part. A limit of a year or more is no limit. If the limit is not above
     * zero (or is a NaN), each acquire fails with `boost::asio::error::invalid_argument`.
     */
    template <class Rep, class Period>
    lock_view at_most(std::chrono::duration<Rep, Period> limit) const; // in lock_view.hpp

    /**
     * @brief Deletes a participant's ticket or permit. For operators, if its process cannot be
     * ended.
     *
     * A holder learns that its lock is lost (`error::ticket_deleted`), at the latest when it next
     * proves its lease. **But the next in line may hold the lock before that**: only fencing tokens
     * keep the two apart. A waiter whose ticket is deleted lines up again. If one acquire took
     * several permits, and one of them is deleted, all are lost.
     *
     * `who` must come from `list_participants()`, with its details. If it has left, the operation
     * succeeds, and deletes nothing. It costs two round trips, or three for a `single_node_mutex`.
     *
     * @par Errors
     * - `boost::asio::error::invalid_argument`: `who` has no details.
     * - `error::read_denied`, `error::release_denied`: READ on the ticket and DELETE on its parent
     *   are needed.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto evict(const participant& who, Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token>(object_, &start_evict, token, who);
    }

    /**
     * @brief Asks the present holder to let go, and waits until it has.
     *
     * The holder learns of it by `held_lock::wait_yield`, and may ignore it. While this waits, an
     * ephemeral node `<path>%yield` says who asks, why, and which ticket is asked. When the holder
     * lets go, the next in line gets the lock, not the caller. If several readers hold it, the
     * first in line is asked. A `semaphore` has no such requests.
     *
     * Completes with `void(error_code)` when the ticket that was asked is gone. A cancellation
     * takes the request back.
     *
     * @par Errors
     * - `error::not_held`: the lock is free.
     * - `error::create_denied`, `error::read_denied`: CREATE is needed beside the lock path, READ
     *   there and on the path.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto ask_to_yield(std::string reason, Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token>(object_, &start_ask, token,
                                                         std::move(reason));
    }

    /**
     * @brief Returns a view of this lock whose acquires ask the holders before them to let go.
     *
     *     auto lock = co_await client.asking("taken over").acquire();
     *
     * An acquire that has to wait lines up, and then asks each holder before it, as `ask_to_yield`
     * does. Holders of this session are asked as well. When the acquire ends, it takes the request
     * back. If a right to ask is denied, the log says so and the acquire goes on waiting. An
     * acquire of a `semaphore` or a `single_node_mutex` fails with
     * `boost::asio::error::operation_not_supported`.
     */
    TURNSTILE_API lock_view asking(std::string reason) const;

protected:
    /// For the library: each acquire sends the request `what`.
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
    auto survey(std::size_t most, std::optional<std::chrono::nanoseconds> limit,
                std::remove_reference_t<Token>& token) const {
        return detail::initiate<void(error_code, std::vector<participant>), Token>(
            object_, &start_survey, token, most, limit);
    }

    TURNSTILE_API static void start_survey(const object_ptr& object, std::size_t most,
                                           std::optional<std::chrono::nanoseconds> limit,
                                           survey_handler done);
    TURNSTILE_API static void start_ask(const object_ptr& object, const std::string& reason,
                                        plain_handler done);
    TURNSTILE_API static void start_evict(const object_ptr& object, const participant& who,
                                          plain_handler done);
};

} // namespace turnstile
