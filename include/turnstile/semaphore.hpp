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
 * @brief At most N permits of a path, over all processes.
 *
 * N, the limit, is stored with the semaphore, and stays until `remove`. If the semaphore is
 * missing, the first acquire through an object with a limit makes it, and so does `set_limit`,
 * which also changes it. An object without a limit takes what is there.
 *
 * First come, first served, strictly: an acquire of many permits keeps all behind it waiting. The
 * acquires of the object take one permit. Those of `permits(n)` take n as one `held_lock`: they are
 * released together, and when one is lost, all are lost.
 *
 * An acquire costs one round trip where enough permits are free and none waits (two where the
 * session is new on the path). A `try_acquire` costs the same, whether it succeeds or not, but once
 * in an eighth of the session timeout it asks more where it fails.
 *
 * Besides the errors of `lock_base`, every acquire has these:
 * - `error::too_many`: more permits than the limit, also where it is lowered while this waits.
 * - `error::request_too_large`: more than 1,000 permits, or too many for the length of path and
 *   label.
 * - `error::limit_differs`: the semaphore has another limit than this object states. A `set_limit`
 *   through this object changes what it states.
 * - `error::no_limit`: there is no semaphore, and this object states no limit.
 *
 * The fencing token names the transaction that made the permits. With a limit above 1 several hold
 * at a time, so **a store must not compare the tokens of a semaphore**: a smaller one is no older
 * holder. That holds for a part of a `multi_lock`, too.
 *
 * Operations, thread safety and lifetimes: `path_lock`, `lock_base`.
 */
class semaphore : public path_lock {
public:
    /// Does no I/O. A bad path fails the operations.
    TURNSTILE_API semaphore(session& owner, std::string path,
                            std::optional<std::uint32_t> limit = {});

    /// Several permits, acquired and released together. With 0 they fail with
    /// `boost::asio::error::invalid_argument`.
    TURNSTILE_API lock_view permits(std::uint32_t count) const;

    /**
     * @brief Sets the limit, for all who use the semaphore.
     *
     * Makes the semaphore if it is missing. A lower limit takes nothing away: holders keep their
     * permits. An acquire that waits for more permits than the new limit fails with
     * `error::too_many`.
     *
     * Acquires through an object that was made with another limit fail with `error::limit_differs`
     * from now on. The limit that this object and its views state, if any, becomes `limit` when
     * this succeeds. It costs two round trips, and more where others set the limit at the same
     * time.
     *
     * @par Errors
     * - `error::too_many`: a limit of 0 would admit no acquire.
     * - `error::wrong_kind`, `error::nested_path`: a lock of another kind is at the path, or what
     *   another program has left of a semaphore (`remove` deletes that), or other nodes are below.
     * - `error::create_denied`, `error::read_denied`, `error::write_denied`: as in `acquire`. WRITE
     * is needed on the node `limit`.
     * - `error::path_unstable`: the semaphore vanished again and again.
     * - `error::no_chroot`.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto set_limit(std::uint32_t limit, Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(object_, &start_set_limit, token, limit);
    }

    /**
     * @brief Reads the limit that is stored.
     *
     * One round trip, to a server that may be behind the others. Completes with
     * `void(error_code, std::uint32_t)`: 0 on error.
     *
     * @par Errors
     * - `error::no_limit`: there is no semaphore.
     * - `error::wrong_kind`: the node `limit` is another program's.
     * - `error::read_denied`.
     */
    template <boost::asio::completion_token_for<void(error_code, std::uint32_t)> Token =
                  boost::asio::deferred_t>
    auto limit(Token&& token = Token{}) {
        return detail::initiate<void(error_code, std::uint32_t), Token>(object_, &start_limit,
                                                                        token);
    }

    /**
     * @brief Takes the semaphore away, if no permit is held and its queue is empty.
     *
     * Deletes its nodes and forgets the limit; the lock path itself stays. The next acquire with a
     * limit makes the semaphore again. It is a success where there is none. It costs three round
     * trips, and more where others change the semaphore at the same time.
     *
     * @par Errors
     * - `error::would_block`: another holds a permit or stands in line. Nothing was deleted.
     * - `error::wrong_kind`: the node `limit` is another program's.
     * - `error::read_denied`, `error::write_denied`, `error::release_denied`: READ, WRITE and
     *   DELETE are needed on the lock path.
     * - `error::path_unstable`: the semaphore vanished again and again.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto remove(Token&& token = Token{}) {
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
