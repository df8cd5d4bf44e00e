// SPDX-License-Identifier: BSL-1.0
// Elections: one of many processes leads, and all can find out which.
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
 * The leader has a `held_lock`, and leads until it releases or loses the lock, or dies.
 * `held_lock::proclaim` sets another value. `with_lock` and `run_exclusively` accept an election,
 * or one of its candidates, like any lock:
 *
 *     co_await with_lock(reports.campaign("10.0.0.7:8080"), lead);
 *
 * A `mutex` or `turnstile run` on the path is a candidate without a value. A candidate's value
 * stands in its ticket. What a leader proclaims stands in a node beside the lock path,
 * `<path>%leader`, which is never deleted. Cancellation and errors of the operations: `path_lock`.
 */
class election : public path_lock {
public:
    /// Does no I/O. If the path is bad, the operations fail.
    TURNSTILE_API election(session& owner, std::string path);

    /// A view that stands for election with this value: any bytes, such as the candidate's address.
    TURNSTILE_API lock_view candidate(std::string value) const;

    /// Stands for election, and waits until this candidate leads, as `lock_base::acquire` does.
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  boost::asio::deferred_t>
    auto campaign(std::string value, Token&& token = Token{}) const {
        return candidate(std::move(value)).acquire(std::forward<Token>(token));
    }

    /**
     * @brief Says who leads. The `leader_info` is empty if nobody does.
     *
     * It costs three requests. Once `observe` was called on this object, it costs none. The leader
     * may not know yet that it leads. Fails with `error::read_denied` unless the session may READ
     * the lock path, its tickets, and the node beside the path.
     */
    template <boost::asio::completion_token_for<void(error_code, leader_info)> Token =
                  boost::asio::deferred_t>
    auto get_leader(Token&& token = Token{}) const {
        return detail::initiate<void(error_code, leader_info), Token>(object_, &start_leader, token,
                                                                      std::optional<leader_info>());
    }

    /**
     * @brief Waits until the leader, or the leader's value, is another than `known`.
     *
     * Await it again and again, each time with its last result:
     *
     *     for (leader_info known;;)
     *         known = co_await reports.observe(known);
     *
     * Level-triggered: a change that came before the call completes it at once. Changes are
     * reported in their order. If several happen while the connection is cut, the last one alone is
     * reported. The first call begins to watch the election, and the watch ends with this object. A
     * change of leader costs two requests, a `proclaim` one. It has the errors of `get_leader`.
     * After `error::unreachable` call it again with the same `known`.
     */
    template <boost::asio::completion_token_for<void(error_code, leader_info)> Token =
                  boost::asio::deferred_t>
    auto observe(leader_info known, Token&& token = Token{}) const {
        return detail::initiate<void(error_code, leader_info), Token>(
            object_, &start_leader, token, std::optional(std::move(known)));
    }

    /// Waits for any leader: for a caller that knows of none yet.
    auto observe() const { return observe(leader_info()); }
    template <boost::asio::completion_token_for<void(error_code, leader_info)> Token>
    auto observe(Token&& token) const {
        return observe(leader_info(), std::forward<Token>(token));
    }

private:
    using leader_handler = detail::erased_handler<void(error_code, leader_info)>;

    TURNSTILE_API static void start_leader(const object_ptr& object,
                                           const std::optional<leader_info>& known,
                                           leader_handler done);
};

} // namespace turnstile
