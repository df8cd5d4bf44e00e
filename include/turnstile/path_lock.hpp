// SPDX-License-Identifier: BSL-1.0
// What the locks of one lock path have in common.
#pragma once

#include <turnstile/detail/acquire_manner.hpp>
#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
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
#include <utility>
#include <vector>

namespace turnstile {

class lock_view;
class session;

/**
 * @brief A lock path of a session, and the operations on it.
 *
 * Not made by itself: `mutex`, `shared_mutex`, `single_node_mutex` and `semaphore` are such locks.
 * The lock path is created with its parents where it is missing (container nodes, which the server
 * removes when they are empty). Its data and its version belong to Turnstile. Many objects may name
 * one path, on one session or several.
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
     * have their names, and what follows from names and order. It takes no place in line and wakes
     * nobody. Tickets of other programs are listed, too. Of a semaphore each permit is one
     * participant, also where an acquire took several, and the permits come before the tickets.
     *
     * The line is as it was when a server listed it, which may be behind the others. What left
     * between the listing and its own question is `participant::knowledge::gone`. Readers of one
     * session that share a ticket are one participant. A lock path that does not exist has none.
     *
     * Completes with `void(error_code, std::vector<participant>)`.
     *
     * @par Errors
     * - `error::read_denied`: READ is denied on the lock path. A ticket that may not be read is
     *   `participant::knowledge::denied`.
     */
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  boost::asio::deferred_t>
    auto participants(std::size_t most = usual_details, Token&& token = Token{}) {
        return survey<Token>({.most = most}, token);
    }

    /// The same, with the details of the first `usual_details`.
    template <boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token>
        requires(!std::is_convertible_v<Token, std::size_t>) // a number is no token
    auto participants(Token&& token) { return survey<Token>({.most = usual_details}, token); }

    /// As `participants`, within a time limit that counts as in `acquire_for`, and with its two
    /// errors.
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, std::vector<participant>)> Token =
                  boost::asio::deferred_t>
    auto participants_for(std::chrono::duration<Rep, Period> limit,
                          std::size_t most = usual_details, Token&& token = Token{}) {
        return survey<Token>({.most = most, .limit = detail::limit_of(limit)}, token);
    }

    /**
     * @brief Deletes somebody's ticket or permit, as an operator does who cannot end its process.
     *
     * Its owner learns that the lock is lost (`error::ticket_deleted`), at the latest when it next
     * proves its lease. **But the next in line may hold the lock before that owner knows**: only
     * fencing tokens keep the two apart. A waiter whose ticket is deleted lines up again. Where an
     * acquire took several permits of a semaphore, all of them are lost with one.
     *
     * `who` is one that `participants()` listed, with its details. Nothing but that one is deleted.
     * If it has left, the operation succeeds, also where another has its name by now. It costs two
     * round trips; of a `single_node_mutex`, three.
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

protected:
    /// Does no I/O. A bad path fails the operations.
    TURNSTILE_API path_lock(session& owner, std::string path, const detail::acquire_manner& how);
    path_lock(path_lock&&) noexcept = default;
    TURNSTILE_API path_lock& operator=(path_lock&& other) noexcept;
    TURNSTILE_API ~path_lock();

    using object_ptr = std::shared_ptr<detail::lock_object>;
    using plain_handler = detail::erased_handler<void(error_code)>;

private:
    friend class lock_view;
    using survey_handler = detail::erased_handler<void(error_code, std::vector<participant>)>;

    template <class Token>
    auto survey(const detail::survey_manner& how, std::remove_reference_t<Token>& token) {
        return detail::initiate<void(error_code, std::vector<participant>), Token>(
            object_, &start_survey, token, how);
    }

    TURNSTILE_API static void start_survey(const object_ptr& object,
                                           const detail::survey_manner& how, survey_handler done);
    TURNSTILE_API static void start_evict(const object_ptr& object, const participant& who,
                                          plain_handler done);
};

} // namespace turnstile
