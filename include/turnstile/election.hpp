// SPDX-License-Identifier: BSL-1.0
// Elections: one of many processes leads, and all can know which.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/leader_info.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/path_lock.hpp>

#include <boost/asio/deferred.hpp>

#include <optional>
#include <string>
#include <utility>

namespace turnstile {

/**
 * @brief An election: candidates stand in the line of a `mutex`, and the first of them leads.
 *
 * Who leads has a `held_lock`, and leads until it resigns, dies or loses the lock. `with_lock` and
 * `run_exclusively` take an election, or one of its candidates, as any lock:
 *
 *     co_await with_lock(reports.campaign("10.0.0.7:8080"), lead);
 *
 * A `mutex` or `turnstile run` on the path is a candidate without a value. What a leader proclaims
 * stands in a node beside the lock path, `<path>%leader`, which stays. The operations are cancelled
 * as those of `path_lock`, and have their errors.
 */
class election : public path_lock {
public:
    TURNSTILE_API election(session& owner, std::string path);

    /// A candidate with this value: any bytes, such as the address at which it serves.
    TURNSTILE_API lock_view candidate(std::string value) const;

    /// Stands for election, and waits until this candidate leads. As `lock_base::acquire`.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  boost::asio::deferred_t>
    auto campaign(std::string value, Token&& token = Token{}) {
        return candidate(std::move(value)).acquire(std::forward<Token>(token));
    }

    /**
     * @brief Sets another value, while leading.
     *
     * Of the leadership that this object gained last. A guarded write: one transaction, and two for
     * the first one of an election. Errors: those of `held_lock::guarded`, `error::not_held`;
     * `error::create_denied`: CREATE beside the lock path is needed.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto proclaim(std::string value, Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(object_, &start_proclaim, token,
                                                         std::move(value));
    }

    /// Gives up the leadership that this object gained last, as `held_lock::release` does.
    /// `error::not_held`: it does not lead.
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto resign(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(object_, &start_resign, token);
    }

    /**
     * @brief Tells who leads. An empty `leader_info`: nobody does.
     *
     * It costs three requests, and none where this object observes. A leader may not know yet that
     * it leads. `error::read_denied`: READ is needed on the lock path, its tickets, and beside it.
     */
    template <boost::asio::completion_token_for<void(error_code, leader_info)> Token =
                  boost::asio::deferred_t>
    auto leader(Token&& token = Token{}) {
        return detail::initiate<void(error_code, leader_info), Token>(object_, &start_leader, token,
                                                                      std::optional<leader_info>());
    }

    /**
     * @brief Waits until another leads than the caller knows, or with another value.
     *
     * To be awaited again and again, each time with what it completed with last:
     *
     *     for (leader_info known;;)
     *         known = co_await reports.observe(known);
     *
     * Level-triggered: a change that came before the call completes it at once. Changes are told in
     * their order; of those during a cut the last one alone. The first call begins to watch, which
     * goes on until the object goes. A change of leader costs two requests, a `proclaim` one.
     * Errors: as `leader`. After `error::unreachable` it goes on with the same `known`.
     */
    template <boost::asio::completion_token_for<void(error_code, leader_info)> Token =
                  boost::asio::deferred_t>
    auto observe(leader_info known, Token&& token = Token{}) {
        return detail::initiate<void(error_code, leader_info), Token>(
            object_, &start_leader, token, std::optional(std::move(known)));
    }

    /// The same of who knows of no leader yet.
    auto observe() { return observe(leader_info()); }
    template <boost::asio::completion_token_for<void(error_code, leader_info)> Token>
    auto observe(Token&& token) {
        return observe(leader_info(), std::forward<Token>(token));
    }

private:
    using leader_handler = detail::erased_handler<void(error_code, leader_info)>;

    TURNSTILE_API static void start_proclaim(const object_ptr& object, const std::string& value,
                                             plain_handler done);
    TURNSTILE_API static void start_resign(const object_ptr& object, plain_handler done);
    TURNSTILE_API static void start_leader(const object_ptr& object,
                                           const std::optional<leader_info>& known,
                                           leader_handler done);
};

} // namespace turnstile
