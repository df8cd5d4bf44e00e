// SPDX-License-Identifier: BSL-1.0
// The distributed counting semaphore.
#pragma once

#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/lock_view.hpp>
#include <turnstile/path_lock.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace turnstile {

/**
 * @brief A counting semaphore: N permits of a path, over all processes.
 *
 * ZooKeeper stores N, the limit, with the semaphore until `remove`. If the semaphore is missing,
 * the first acquire through an object with a limit makes it. `set_limit` makes it as well, or
 * changes its limit. An object without a limit uses the limit that is stored.
 *
 * First come, first served, strictly: an acquire of many permits keeps all behind it waiting. The
 * acquires of the object take one permit. Those of `permits(n)` take n as one `held_lock`: they are
 * released together, and when one is lost, all are lost.
 *
 * An acquire costs one round trip if enough permits are free and none waits (two if the session is
 * new on the path). A `try_acquire` costs the same. A failed one costs more, but only once in an
 * eighth of the session timeout.
 *
 * Besides the errors of `lock_base`, every acquire has these:
 * - `error::too_many`: it wants more permits than the limit, or the limit was lowered meanwhile.
 * - `error::request_too_large`: it wants more than 1,000 permits, or too many for the length of
 *   path and label.
 * - `error::limit_differs`: the semaphore has another limit than this object states. A `set_limit`
 *   through this object changes the limit that it states.
 * - `error::no_limit`: there is no semaphore, and this object states no limit.
 *
 * The fencing token names the transaction that made the permits. If the limit is above 1, several
 * holders work at a time, so **a store must not compare the tokens of a semaphore**: the holder
 * with the smaller token may be the newer one. This goes for a part of a `multi_lock`, too.
 *
 * Operations, thread safety and lifetimes: `path_lock`, `lock_base`.
 */
class semaphore : public path_lock {
public:
    /// Does no I/O. If the path is bad, the operations fail.
    TURNSTILE_API semaphore(session& owner, std::string path,
                            std::optional<std::uint32_t> limit = {});

    /// A view whose acquires take this many permits together. If `count` is 0, they fail with
    /// `boost::asio::error::invalid_argument`.
    TURNSTILE_API lock_view permits(std::uint32_t count) const;

    /**
     * @brief Sets the limit, for all users of the semaphore.
     *
     * It makes the semaphore if that is missing. A lower limit takes nothing away: holders keep
     * their permits. An acquire that waits for more permits than the new limit fails with
     * `error::too_many`.
     *
     * Acquires through an object that was made with another limit fail with `error::limit_differs`
     * from now on. If this object states a limit, it and its views state `limit` once this has
     * succeeded. It costs two round trips, and more if others set the limit at the same time.
     *
     * @par Errors
     * - `boost::asio::error::invalid_argument`: the limit is 0, which would admit no acquire.
     * - `error::wrong_kind`, `error::nested_path`: the path has a lock of another kind, other
     *   nodes, or the rest of a semaphore that another program has half deleted (`remove` deletes
     *   that).
     * - `error::create_denied`, `error::read_denied`, `error::write_denied`: the rights of an
     *   acquire are needed, and WRITE on the node `limit`.
     * - `error::path_unstable`: the semaphore vanished again and again, or after an answer that was
     *   lost: then it may have been made with this limit before.
     * - `error::no_chroot`.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto set_limit(std::uint32_t limit, Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token>(object_, &start_set_limit, token, limit);
    }

    /**
     * @brief Reads the limit that is stored.
     *
     * It asks one server, which may be behind the others, in one round trip. Completes with
     * `void(error_code, std::uint32_t)`: 0 on error.
     *
     * @par Errors
     * - `error::no_limit`: there is no semaphore.
     * - `error::wrong_kind`: another program made the node `limit`.
     * - `error::read_denied`.
     */
    template <boost::asio::completion_token_for<void(error_code, std::uint32_t)> Token =
                  boost::asio::deferred_t>
    auto get_limit(Token&& token = Token{}) const {
        return detail::initiate<void(error_code, std::uint32_t), Token>(object_, &start_limit,
                                                                        token);
    }

    /**
     * @brief Deletes the semaphore, if no permit is held and its queue is empty.
     *
     * It deletes the nodes of the semaphore, and with them the limit; the lock path itself stays.
     * The next acquire with a limit makes the semaphore again. If there is none, the operation
     * succeeds. It costs three round trips, and more if others change the semaphore meanwhile.
     *
     * @par Errors
     * - `error::would_block`: another holds a permit or stands in line. Nothing was deleted.
     * - `error::wrong_kind`: another program made the node `limit`.
     * - `error::read_denied`, `error::write_denied`, `error::release_denied`: READ, WRITE and
     *   DELETE are needed on the lock path.
     * - `error::path_unstable`: the semaphore vanished again and again.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto remove(Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token>(object_, &start_remove, token);
    }

private:
    using limit_handler = detail::erased_handler<void(error_code, std::uint32_t)>;

    TURNSTILE_API static void start_set_limit(const object_ptr& object, std::uint32_t limit,
                                              plain_handler done);
    TURNSTILE_API static void start_limit(const object_ptr& object, limit_handler done);
    TURNSTILE_API static void start_remove(const object_ptr& object, plain_handler done);
};

} // namespace turnstile
