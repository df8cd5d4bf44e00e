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
#include <string>
#include <utility>
#include <vector>

namespace turnstile {

/**
 * @brief Owns one held lock, and releases it.
 *
 * The destructor releases the lock in the background, without waiting. It logs a warning if the
 * lock was granted in the same turn and was never looked at: then the program has dropped the
 * result of `co_await orders.acquire()`, and the code that follows runs without the lock.
 *
 * @par Errors
 * The handler signature is `void(error_code)`, unless the operation says otherwise. All operations
 * have these errors:
 * - `error::not_held`: this value owns nothing.
 * - `error::forked`: the process is a forked child.
 *
 * @par Per-operation cancellation
 * Terminal, partial and total: the operation completes with `operation_aborted`. If it changes the
 * lock or a node although it was cancelled, it accepts `terminal` alone.
 *
 * @par Executor
 * The handler runs on its associated executor, else on the session's; never inline. If this value
 * owns nothing, there is no session: then a handler without an executor is called at once, inline,
 * and one in an `any_completion_handler` as if by dispatch.
 *
 * @par Thread safety
 * Distinct objects: safe. One object: one thread at a time uses it.
 *
 * @par Object lifetimes
 * This value may outlive the lock object and the session object; the lock is lost when the session
 * ends. An operation may outlive this value.
 */
class [[nodiscard]] held_lock {
public:
    using executor_type = boost::asio::any_io_executor;

    /// Holds nothing.
    held_lock() noexcept = default;
    held_lock(held_lock&& other) noexcept = default;
    TURNSTILE_API held_lock& operator=(held_lock&& other) noexcept;
    TURNSTILE_API ~held_lock();

    /// Tells whether this value owns a lock that was not released. The lock may be lost all the
    /// same: see `is_held`.
    explicit operator bool() const noexcept { return used() != nullptr; }

    /// A number that grows with each exclusive grant of the lock path, and with `try_upgrade`. It
    /// is the default token, which is below all others, if nothing is owned. A `multi_lock` has the
    /// token of the part that was named first. The token of a `semaphore` does not tell older
    /// holders from newer ones: a store must not compare it.
    TURNSTILE_API turnstile::fencing_token fencing_token() const noexcept;

    /// The tokens of all parts of a `multi_lock`, in the order in which the parts were named. Other
    /// locks have `fencing_token()` alone. Empty if nothing is owned.
    TURNSTILE_API std::vector<turnstile::fencing_token> fencing_tokens() const;

    /// The ensemble cannot give the lock to anybody else before this instant. Each proof that the
    /// session lives moves it on. With `path_lock::at_most` it does not move beyond a margin after
    /// the end of that time. `wait_lost` completes earlier, by `session_options::margin`. The
    /// deadline is the epoch if nothing is owned, if the lock was lost in another way, and in a
    /// forked child.
    TURNSTILE_API lease_clock::time_point deadline() const noexcept;

    /// Tells whether this value certainly holds the lock still. Reads the clock at each call. False
    /// in a forked child: the lock is the parent's.
    TURNSTILE_API bool is_held() const noexcept;

    /// Tells whether a loss is near (`wait_at_risk`), or the lock is lost. Reads the clock at each
    /// call. False if nothing is owned, true in a forked child.
    TURNSTILE_API bool is_at_risk() const noexcept;

    /**
     * @brief Returns a further handle on the same lock, for another coroutine.
     *
     * The lock is released with the last of its handles. Each handle has a release, waits and a
     * destructor of its own. Token, deadline and loss are the same for all. This replaces a
     * recursive mutex. It costs no request. The new handle is empty if nothing is owned.
     */
    TURNSTILE_API held_lock share() const;

    /**
     * @brief Releases the lock and waits for the server's answer.
     *
     * After the call this value owns nothing. If other handles on the lock remain (`share`), the
     * operation completes without a request. Otherwise it completes when a server has answered that
     * the ticket is gone, or at the lease deadline.
     *
     * @par Errors
     * - `condition::lock_lost`: the lock had been lost before. The code is `error::ticket_deleted`
     *   if the server shows that another program deleted the ticket.
     * - `error::unreachable`: no server answered before the lease deadline, or before the session
     *   was closed, expired, or gave up as all servers refuse it. The lock is released when the
     *   session comes back, or ends.
     * - `error::release_denied`: the lock stays taken until the right is given, or the session
     *   ends.
     * - a code of `zookeeper_category()` for any other answer of the server: the lock stays taken
     *   until the session ends.
     *
     * @par Per-operation cancellation
     * `terminal` alone. It ends the wait; the lock is released in any case. In a coroutine that was
     * cancelled, `co_await` throws before it starts anything: there, destroy the value instead.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto release(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            take(), &start_release, token);
    }

    /**
     * @brief Turns a writer into a reader, without a gap.
     *
     * Then the readers behind it hold the lock as well, up to the next writer in line, which goes
     * on waiting. Do not write under the lock any more once this is called. The lock must be of a
     * `mutex` or a `shared_mutex`. It costs one transaction. The token stays that of the writer.
     *
     * @par Errors
     * After an error the lock is held as before, unless it is lost.
     * - `error::not_exclusive`: the lock is not held to write, or is of a kind that has no readers,
     *   or another downgrade is under way.
     * - `error::not_alone`: the lock has other handles (`share`).
     * - `error::names_forbid`: the lock has Curator's names (`lock_names::curator`).
     * - `condition::lock_lost`; `error::released`: the lock was lost or released meanwhile.
     * - `error::create_denied`; a code of `zookeeper_category()`.
     *
     * @par Per-operation cancellation
     * `terminal` alone. It ends the wait; the lock is downgraded in any case.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto downgrade(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::downgrade);
    }

    /**
     * @brief Turns a reader into a writer, without a gap, if nobody else holds it or waits.
     *
     * It never waits for others: two readers that waited for each other would wait for ever. If it
     * fails, you may release the lock and acquire it to write, but others may write in between. The
     * lock must be of a `shared_mutex`. It costs two transactions. Afterwards the token is a new
     * one: read it again.
     *
     * @par Errors
     * After an error the lock is held to read as before, without a gap, unless it is lost.
     * - `error::would_block`: another holds the lock or stands in line, in this session or
     *   elsewhere. Or the lock has a further handle (`share`), or its path has another child. Or
     *   there is no connection, or it was lost before the answer. Or another `try_upgrade` is under
     *   way.
     * - `error::not_shared`: the lock is not held to read, or is of a kind that has no readers.
     * - `error::names_forbid`: the lock has Curator's names (`lock_names::curator`).
     * - `condition::lock_lost`; `error::released`: the lock was lost or released meanwhile.
     * - `error::session_full`, `error::sequence_exhausted`, `error::create_denied`,
     *   `error::read_denied`, `error::write_denied`; a code of `zookeeper_category()`.
     *
     * @par Per-operation cancellation
     * All types. The upgrade is taken back: the lock is held to read as before.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto try_upgrade(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::upgrade);
    }

    /**
     * @brief Writes nodes of ZooKeeper, if the lock is still held.
     *
     * All of `writes` happen, or none: they are one transaction of ZooKeeper, and one round trip.
     * The transaction first checks that the lock's own ticket exists. Nobody else gets the lock
     * while it exists. So a holder that was paused for too long writes nothing, and the data needs
     * no fencing token. Without any writes the operation asks the ensemble whether the lock is
     * held.
     *
     * Completes with `void(error_code, std::vector<node_result>)`: one result for each write, or
     * none if nothing was sent or no answer came.
     *
     * Readers and holders of permits do not keep each other out: they must state a `version`. All
     * parts of a `multi_lock` are checked. A `single_node_mutex` cannot guard a write, since its
     * node has no name of its own.
     *
     * @par Errors
     * After `error::outcome_unknown` the writes may have happened. After all other errors nothing
     * was written.
     * - `error::outcome_unknown`: the connection was lost before the answer. Nothing is sent again:
     *   read the nodes, and state their versions in the next write.
     * - `condition::lock_lost`, `error::not_held`: the lock was lost or released.
     * - a code of `zookeeper_category()`: `node_result::failed` says which write was refused.
     * - `boost::asio::error::invalid_argument`: a path or a version is bad, a path is the lock path
     *   or lies below it, or the parts are of several sessions.
     * - `error::request_too_large`.
     * - `boost::asio::error::operation_not_supported`: the lock is a `single_node_mutex`; take a
     *   `mutex`.
     *
     * @par Per-operation cancellation
     * All types until the transaction is sent: then nothing is written. Once it is sent, `terminal`
     * alone, and it is unknown whether it is written.
     */
    template <boost::asio::completion_token_for<void(error_code, std::vector<node_result>)> Token =
                  boost::asio::deferred_t>
    auto write_guarded(node_writes writes, Token&& token = Token{}) {
        return detail::initiate<void(error_code, std::vector<node_result>), Token,
                                detail::ownership::optional>(state_, &start_guarded, token,
                                                             std::move(writes));
    }

    /**
     * @brief Sets another value for the leader, if this lock is a leadership: see `election`.
     *
     * It is a guarded write, and costs one transaction, or two for the first value of an election.
     * After `error::outcome_unknown` the value may still be set within a session timeout, also over
     * a later one.
     *
     * @par Errors
     * - the errors of `write_guarded`.
     * - `error::create_denied`: CREATE is needed beside the lock path.
     * - `boost::asio::error::operation_not_supported`: the lock is a `multi_lock`, a `semaphore` or
     *   a `single_node_mutex`.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto proclaim(std::string value, Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start_proclaim, token, std::move(value));
    }

    /**
     * @brief Waits for the loss of the lock.
     *
     * Level-triggered: it completes at once if the lock was lost before the call. It completes with
     * the reason of the loss (`condition::lock_lost`), or with `error::released` if the lock was
     * released. The reasons are:
     * - `error::lease_lost`: the lease deadline, less the margin, is over.
     * - `error::held_too_long`: the time of `path_lock::at_most` is over.
     * - `error::session_expired`, `error::ticket_deleted`, `error::session_closed`.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto wait_lost(Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::loss);
    }

    /**
     * @brief Waits until the lock is at risk of being lost.
     *
     * This is the warning before `wait_lost`: begin nothing new under the lock, and finish what can
     * be finished. It comes when less than a quarter of the session timeout is left of the lease,
     * or, with a large margin, less than the margin plus a sixteenth of the timeout. So it precedes
     * each loss by the lease deadline, and each by `path_lock::at_most`. It does not precede a loss
     * if the server ends the session, or if the ticket is deleted. A lock may be out of danger
     * again: see `is_at_risk`.
     *
     * Level-triggered: it completes without an error while the lock is at risk. If the lock is lost
     * or released, it completes with the codes of `wait_lost`.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto wait_at_risk(Token&& token = Token{}) const {
        return detail::initiate<void(error_code), Token, detail::ownership::optional>(
            state_, &start, token, detail::lock_operation::risk_of_loss);
    }

    /**
     * @brief Waits until another program asks this holder to let go (`path_lock::ask_to_yield`).
     *
     * The holder is free to ignore the request, or to end its work in order and release the lock.
     * Level-triggered: it completes at once as long as the request stands. Each call costs one
     * request. Completes with `void(error_code, yield_request)`.
     *
     * @par Errors
     * - the codes of `wait_lost`.
     * - `error::read_denied`: READ is needed on the node beside the lock path.
     * - `boost::asio::error::operation_not_supported`: the lock is a `multi_lock`.
     */
    template <boost::asio::completion_token_for<void(error_code, yield_request)> Token =
                  boost::asio::deferred_t>
    auto wait_yield(Token&& token = Token{}) const {
        return detail::initiate<void(error_code, yield_request), Token,
                                detail::ownership::optional>(state_, &start_yield, token);
    }

    /// The session's executor; empty if nothing is owned.
    TURNSTILE_API executor_type get_executor() const noexcept;

private:
    friend class detail::lock_state;
    using handler = detail::erased_handler<void(error_code)>;
    using state_ptr = std::shared_ptr<detail::lock_state>;

    explicit held_lock(state_ptr state) noexcept : state_(std::move(state)) {}

    // Returns the state, and marks the lock as used: its release is no drop by mistake.
    TURNSTILE_API detail::lock_state* used() const noexcept;
    // What a release operation owns. Its destructor releases the lock if it was never started.
    struct released;
    TURNSTILE_API friend const executor_type& executor_of(const released& owner) noexcept;
    TURNSTILE_API std::shared_ptr<released> take(); // empties this value
    TURNSTILE_API static void start_release(const std::shared_ptr<released>& what, handler&& done);
    TURNSTILE_API static void start(const state_ptr& state, detail::lock_operation what,
                                    handler done);
    TURNSTILE_API static void
    start_yield(const state_ptr& state,
                detail::erased_handler<void(error_code, yield_request)> done);
    using write_handler = detail::erased_handler<void(error_code, std::vector<node_result>)>;
    TURNSTILE_API static void start_guarded(const state_ptr& state, const node_writes& writes,
                                            write_handler done);

    TURNSTILE_API static void start_proclaim(const state_ptr& state, const std::string& value,
                                             handler done);

    state_ptr state_;
};

} // namespace turnstile
