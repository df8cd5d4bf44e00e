// SPDX-License-Identifier: BSL-1.0
// A lock that is held: the value that acquire completes with.
#pragma once

#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/error.hpp>
#include <turnstile/fencing_token.hpp>
#include <turnstile/guarded_write.hpp>
#include <turnstile/lease_clock.hpp>
#include <turnstile/yield_request.hpp>

#include <boost/asio/deferred.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace turnstile {

/**
 * @brief Owns one held lock, and releases it.
 *
 * Destroying it releases in the background, without waiting. If it is destroyed in the turn in
 * which it was granted, and nothing looked at it, a log line warns: then the result of
 * `co_await orders.acquire()` was dropped, and what follows runs without the lock.
 *
 * @par Errors
 * The handler signature is `void(error_code)`. `error::not_held`: this value owns nothing.
 * `error::forked`.
 *
 * @par Per-operation cancellation
 * Terminal, partial and total. Unless the operation says otherwise, it stops only the waiting, with
 * `operation_aborted`.
 *
 * @par Executor
 * The handler's associated executor, else the session's; never inline. Where nothing is owned there
 * is no session: a handler without an executor is then called at once, inline, and one in an
 * `any_completion_handler` as if by dispatch.
 *
 * @par Thread safety
 * Distinct objects: safe. One object: one thread at a time uses it.
 *
 * @par Object lifetimes
 * May outlive the lock object and the session object; the lock is lost when the session ends. An
 * operation may outlive this object as well.
 */
class [[nodiscard]] held_lock {
public:
    using executor_type = boost::asio::any_io_executor;

    /// Holds nothing.
    held_lock() noexcept = default;
    held_lock(held_lock&& other) noexcept = default;
    TURNSTILE_API held_lock& operator=(held_lock&& other) noexcept;
    TURNSTILE_API ~held_lock();

    /// Whether this value owns a lock that was not released. The lock may be lost: see `is_held`.
    explicit operator bool() const noexcept { return used() != nullptr; }

    /// Grows with each exclusive grant of the lock path, and with `try_upgrade`. The default token,
    /// which is below all others, where nothing is owned. Of a `multi_lock`: that of the part that
    /// was named first. Of a `semaphore` it tells no older holder from a newer one: a store must
    /// not compare it.
    TURNSTILE_API turnstile::fencing_token fencing_token() const noexcept;

    /// Of a `multi_lock` one for each part, in the order in which the parts were named; of other
    /// locks `fencing_token()` alone. Nothing where nothing is owned.
    TURNSTILE_API std::vector<turnstile::fencing_token> fencing_tokens() const;

    /// Until when the ensemble cannot have given the lock to anybody else. It moves on with each
    /// proof that the session lives, up to a margin after the time of `path_lock::at_most`.
    /// `wait_lost` completes earlier, by `session_options::margin`.
    /// The epoch where nothing is owned, once the lock was lost in another way, and in a forked
    /// child.
    TURNSTILE_API lease_clock::time_point deadline() const noexcept;

    /// Whether the lock is certainly still this owner's. Reads the clock at each call. False in a
    /// forked child: the lock is the parent's.
    TURNSTILE_API bool is_held() const noexcept;

    /// Whether a loss is near (`wait_at_risk`), or the lock is lost. Reads the clock at each call.
    /// False where nothing is owned, true in a forked child.
    TURNSTILE_API bool is_at_risk() const noexcept;

    /**
     * @brief A further handle on the same ownership.
     *
     * The lock is released with the last of its handles. Each has a release, waits and a destructor
     * of its own. Token, deadline and loss are the same for all. It lets another coroutine work
     * under the lock, where a recursive mutex would let it in. It costs no request. Empty where
     * nothing is owned.
     */
    TURNSTILE_API held_lock share() const;

    /**
     * @brief Releases the lock and waits for the server's answer.
     *
     * After the call this value owns nothing. Where other handles on the lock remain (`share`), it
     * completes without a request. Otherwise it completes when the ticket is gone, by the server's
     * word, or at the lease deadline.
     *
     * @par Errors
     * - `condition::lock_lost`: the lock had been lost before; `error::ticket_deleted` where the
     *   server shows that somebody else deleted the ticket.
     * - `error::unreachable`: no server said what became of the release until the lease deadline,
     *   or until the session gave up (`session_options::retry_limit`), was closed or expired. The
     *   lock is released when the session comes back, or ends.
     * - `error::release_denied`: the lock stays taken until the right is given, or the session
     *   ends.
     * - a code of `zookeeper_category()`, for any other answer of the server: until the latter.
     *
     * @par Per-operation cancellation
     * The lock is released all the same. In a coroutine that was cancelled, `co_await` throws
     * before it starts anything: there, let the value be destroyed instead.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto release(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            take(), &start_release, token);
    }

    /**
     * @brief From writer to reader, without letting go.
     *
     * Other readers are let in, up to the next writer in line, which goes on waiting. From the call
     * on, do not write under the lock. For a lock that a `mutex` or a `shared_mutex` gave. It costs
     * one transaction. The token stays that of the writer.
     *
     * @par Errors
     * The lock is held as before, unless it is lost.
     * - `error::not_exclusive`: it is not held to write, or is of a kind that has no readers, or a
     *   downgrade is under way.
     * - `error::not_alone`: other handles on it are out (`share`).
     * - `error::names_forbid`: it has Curator's names (`lock_names::curator`).
     * - `condition::lock_lost`; `error::released`: it was lost or released meanwhile.
     * - `error::create_denied`; a code of `zookeeper_category()`.
     *
     * @par Per-operation cancellation
     * The lock is downgraded all the same.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto downgrade(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::downgrade);
    }

    /**
     * @brief From reader to writer, without letting go, where the queue is empty otherwise.
     *
     * Never waits for others: two readers that waited for each other would wait for ever. To write
     * all the same, release it and acquire it to write; others may write in between. For a lock
     * that a `shared_mutex` gave. It costs two transactions. The token is a new one afterwards:
     * read it again.
     *
     * @par Errors
     * The lock is held to read as before, without a gap, unless it is lost.
     * - `error::would_block`: another holds the lock or stands in line, in this session too, or a
     *   further handle is out (`share`). Or the path has another child. Or the connection is not
     *   there, or was lost before the answer. Or another `try_upgrade` is under way.
     * - `error::not_shared`: it is not held to read, or is of a kind that has no readers.
     * - `error::names_forbid`: it has Curator's names (`lock_names::curator`).
     * - `condition::lock_lost`; `error::released`: it was lost or released meanwhile.
     * - `error::session_full`, `error::sequence_exhausted`, `error::create_denied`,
     *   `error::read_denied`, `error::write_denied`; a code of `zookeeper_category()`.
     *
     * @par Per-operation cancellation
     * Not only the waiting: the lock is held to read as before.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto try_upgrade(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::upgrade);
    }

    /**
     * @brief Writes nodes of ZooKeeper, unless the lock is not held any more.
     *
     * One transaction of ZooKeeper, and one round trip: all of `writes` happen, or none. It begins
     * with a check that the lock's own ticket is there, and another gets the lock only when that is
     * gone. So a holder that was paused for too long writes nothing, and the data needs no fencing
     * token. With no writes at all it asks the ensemble whether the lock is held.
     *
     * Completes with `void(error_code, std::vector<node_result>)`: one result for each write, or
     * none where nothing was sent or no answer came.
     *
     * Readers and holders of permits do not keep each other out: state a `version` there. Of a
     * `multi_lock` all parts are checked. Not of a `single_node_mutex`: its node has no name of its
     * own.
     *
     * @par Errors
     * - `error::outcome_unknown`: the connection was lost before the answer. Nothing is sent again:
     *   read what was to change, and state the version in the next write. So it is after a
     *   cancellation. With all other errors nothing was written:
     * - `condition::lock_lost`, `error::not_held`: it was lost or released.
     * - a code of `zookeeper_category()`: `node_result::failed` says which write was refused.
     * - `boost::asio::error::invalid_argument`: a bad path or version; a path that is the lock path
     *   or lies below it; parts of several sessions. `error::request_too_large`.
     *   `boost::asio::error::operation_not_supported`: of a `single_node_mutex`; take a `mutex`.
     */
    template <boost::asio::completion_token_for<void(error_code, std::vector<node_result>)> Token =
                  boost::asio::deferred_t>
    auto guarded(node_writes writes, Token&& token = Token{}) {
        return detail::initiate<void(error_code, std::vector<node_result>), Token,
                                detail::ownership::optional>(state_, &start_guarded, token,
                                                             std::move(writes));
    }

    /**
     * @brief Waits for the loss of the lock.
     *
     * Level-triggered: a loss that came before the call completes it at once. It completes with
     * the reason (`condition::lock_lost`): `error::lease_lost`, at the lease deadline less the
     * margin; `error::session_expired`; `error::ticket_deleted`; `error::held_too_long`, after the
     * time of `path_lock::at_most`; `error::session_closed`. Or with `error::released`, where the
     * lock was released.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto wait_lost(Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::loss);
    }

    /**
     * @brief Waits until the lock is at risk of being lost.
     *
     * The warning before `wait_lost`: begin nothing new under the lock, and finish what can be
     * finished. It comes when less than a quarter of the session timeout is left of the lease, or,
     * with a large margin, less than the margin plus a sixteenth of the timeout. So it precedes
     * each loss by the lease deadline, and each by `path_lock::at_most`. A lock may be out of
     * danger again: see `is_at_risk`. A lock whose session is ended by the server, or whose ticket
     * is deleted, is lost without a warning.
     *
     * Level-triggered, as `wait_lost`, and with its codes; without an error while the lock is at
     * risk.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto wait_at_risk(Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::risk_of_loss);
    }

    /**
     * @brief Waits until somebody asks for the lock.
     *
     * See `path_lock::ask_to_yield`. What to do about it is the holder's choice: end the work in
     * order, and release. Level-triggered: it completes at once as long as the request stands. Each
     * call costs one request. Completes with `void(error_code, yield_request)`.
     *
     * Errors: those of `wait_lost`. `error::read_denied`: the node beside the lock path.
     * `boost::asio::error::operation_not_supported`: of a `multi_lock`.
     */
    template <boost::asio::completion_token_for<void(error_code, yield_request)> Token =
                  boost::asio::deferred_t>
    auto wait_yield(Token&& token = Token{}) const {
        return detail::initiate<void(error_code, yield_request), Token,
                                detail::ownership::optional>(state_, &start_yield, token);
    }

    /// The session's; empty where nothing is owned.
    TURNSTILE_API executor_type get_executor() const noexcept;

private:
    friend class detail::lock_state;
    using handler = detail::erased_handler<void(error_code)>;
    using state_ptr = std::shared_ptr<detail::lock_state>;

    explicit held_lock(state_ptr state) noexcept : state_(std::move(state)) {}

    // It is looked at, and so was not dropped.
    TURNSTILE_API detail::lock_state* used() const noexcept;
    struct released; // what is on its way out; releases when it is dropped unstarted
    TURNSTILE_API friend const executor_type& executor_of(const released& owner) noexcept;
    TURNSTILE_API std::shared_ptr<released> take();
    TURNSTILE_API static void start_release(const std::shared_ptr<released>& what, handler&& done);
    TURNSTILE_API static void start(const state_ptr& state, detail::lock_operation what,
                                    handler done);
    TURNSTILE_API static void
    start_yield(const state_ptr& state,
                detail::erased_handler<void(error_code, yield_request)> done);
    using write_handler = detail::erased_handler<void(error_code, std::vector<node_result>)>;
    TURNSTILE_API static void start_guarded(const state_ptr& state, const node_writes& writes,
                                            write_handler done);

    state_ptr state_;
};

} // namespace turnstile
