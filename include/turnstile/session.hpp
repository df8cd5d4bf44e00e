// SPDX-License-Identifier: BSL-1.0
// One ZooKeeper session on an Asio executor.
#pragma once

#include <turnstile/detail/built_with.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/error.hpp>
#include <turnstile/guarded_write.hpp>
#include <turnstile/options.hpp>
#include <turnstile/path_access.hpp>
#include <turnstile/session_key.hpp>
#include <turnstile/session_state.hpp>
#include <turnstile/usage.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/execution_context.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace turnstile {

/**
 * @brief One ZooKeeper session, which many locks share.
 *
 * Reconnects by itself, with a jittered back-off. When the ZooKeeper session has expired it opens a
 * new one: held locks are lost then, waiting acquires line up again. None of the
 * executor's threads is blocked: a look-up of a server's name and a step of SASL have their own.
 *
 * @par Thread safety
 * Safe, except for move and assignment: all members may be called at any time from any thread.
 * A session that was moved from may only be destroyed or assigned to.
 *
 * @par Executor
 * A handler is a `void(error_code)`, unless the operation says otherwise. It runs on its associated
 * executor, else on `get_executor()`; never inline. Internally everything runs on one strand of the
 * executor. A handler with an executor of its own is posted there from that strand. (An executor
 * inside an `any_completion_handler` cannot post. Such handlers, and those of `use_future`, go over
 * the session's executor.)
 *
 * @par Errors
 * Of all operations, unless they say otherwise:
 * - `error::bad_servers`, `error::bad_options` (`diagnostics` and the log name the option),
 *   `error::bad_acl`, `error::request_too_large` (an option): nothing was sent.
 * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`.
 * - a code of `zookeeper_category()` for any other answer of the server.
 *
 * @par Per-operation cancellation
 * Terminal, partial and total: completes with `operation_aborted` at once. It stops the waiting,
 * and nothing of what was begun.
 *
 * @par Object lifetimes
 * An open session is outstanding work of its execution context until `close()` has completed or the
 * object is destroyed. Destruction ends every operation: `close` with success, a wait for a change
 * of state with the state `closed`, all others with `error::session_closed`. It tells the server
 * that the session is over, if it can at once; otherwise the session expires. Locks and held locks
 * may outlive the session object; held locks are lost then. When the execution context is
 * destroyed, pending handlers are destroyed uninvoked, held locks are lost, and the executor is let
 * go. A look-up of a server's name that is under way outlives the session, on a thread of its own.
 *
 * @par Exceptions
 * An allocation that fails inside the library ends the session: held locks are lost at once, and
 * waiting operations complete with `boost::asio::error::no_memory`. `std::bad_alloc` is thrown out
 * of the executor's `run()`, or out of the call that started an operation.
 *
 * @par Fork
 * Fork followed by exec is safe: descriptors are close-on-exec. In a forked child that did not
 * exec, operations fail with `error::forked`, and the destructor leaves the parent's session alone.
 * A child that uses the execution context again calls its `notify_fork` first, as Asio demands:
 * this closes the child's copies of the connections. If other threads use the library at the moment
 * of the fork, the child must exec: they may hold internal locks.
 */
class session {
public:
    using executor_type = boost::asio::any_io_executor;

    /// Does no I/O; bad options fail the operations. Throws `boost::asio::execution::bad_executor`
    /// where the executor is empty. (The last parameter: detail/built_with.hpp.)
    TURNSTILE_API explicit session(executor_type executor, session_options options = {},
                                   detail::this_build = {});

    template <class ExecutionContext>
        requires std::convertible_to<ExecutionContext&, boost::asio::execution_context&>
    explicit session(ExecutionContext& context, session_options options = {})
        : session(executor_type(context.get_executor()), std::move(options)) {}

    session(session&& other) noexcept = default;
    TURNSTILE_API session& operator=(session&& other) noexcept;
    TURNSTILE_API ~session();

    TURNSTILE_API executor_type get_executor() const noexcept;

    /**
     * @brief Makes a ZooKeeper session, or waits for the connection to be back.
     *
     * Not needed before an acquire, which connects by itself; it shows early whether the servers
     * can be reached.
     *
     * @par Errors
     * - `error::connect_timeout`: no answer within `session_options::connect_timeout`. Acquires
     *   that wait go on waiting; without them and a session there are no more attempts.
     * - `error::unreachable`: `session_options::retry_limit` attempts failed.
     *
     * @par Per-operation cancellation
     * The session goes on connecting. If no other connect waits, it does so without the limit of
     * `connect_timeout`.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto connect(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(impl_, &start_connect, token);
    }

    /**
     * @brief Ends the session at the server.
     *
     * Releases that were asked for before are sent first. Held locks are lost, waiting acquires
     * fail with `error::session_closed`. A closed session stays closed. It completes when the
     * server has ended the session. One that is silent for a third of the session timeout, or
     * needs longer than `connect_timeout`, is not waited for: then the session is left to expire.
     * `error::forked` is its only error.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto close(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(impl_, &start_close, token);
    }

    /**
     * @brief Waits until the session's state is not the one that the caller knows.
     *
     * Level-triggered: a change that came before the call is not missed. Completes with the new
     * state: `void(error_code, session_state)`; with `error::session_closed` where the caller knows
     * that the session is closed.
     */
    template <boost::asio::completion_token_for<void(error_code, session_state)> Token =
                  boost::asio::deferred_t>
    auto wait_state_change(session_state known, Token&& token = Token{}) {
        return detail::initiate<void(error_code, session_state), Token>(impl_, &start_wait, token,
                                                                        known);
    }

    /**
     * @brief Lists the names of a node's children, to look for lock paths.
     *
     * `path` is any node, also `/`: the root, or the chroot of the server list. It costs one
     * request. Completes with `void(error_code, std::vector<std::string>)`.
     *
     * @par Errors
     * - `error::bad_path`: nothing was sent.
     * - `error::read_denied`: READ on the node is needed.
     * - `error::no_chroot`: the chroot of the server list is missing.
     * - -101 of `zookeeper_category()`: there is no such node.
     */
    template <boost::asio::completion_token_for<void(error_code, std::vector<std::string>)> Token =
                  boost::asio::deferred_t>
    auto children(std::string path, Token&& token = Token{}) {
        return detail::initiate<void(error_code, std::vector<std::string>), Token>(
            impl_, &start_children, token, std::move(path));
    }

    /**
     * @brief Reads the data of a node, for what `held_lock::guarded` writes.
     *
     * Under a lock of this session it shows at least what was written under the lock before. Else a
     * server may be behind the others. Completes with `void(error_code, node_value)`. Errors:
     * `error::bad_path`, `error::read_denied`; -101 of `zookeeper_category()`: there is no such
     * node.
     */
    template <boost::asio::completion_token_for<void(error_code, node_value)> Token =
                  boost::asio::deferred_t>
    auto read(std::string path, Token&& token = Token{}) {
        return detail::initiate<void(error_code, node_value), Token>(impl_, &start_read, token,
                                                                     std::move(path));
    }

    /**
     * @brief Finds out what the session may do at a node, without a change to it.
     *
     * It reads the node. Then it sends a transaction that would create a node below it, and that
     * the server refuses in any case. This needs the majority of the ensemble. It costs two round
     * trips, and one more for each node that is missing. What is denied is no error. Completes with
     * `void(error_code, path_access)`.
     *
     * @par Errors
     * - `error::bad_path`: nothing was sent.
     * - `error::no_chroot`: the chroot of the server list is missing.
     */
    template <boost::asio::completion_token_for<void(error_code, path_access)> Token =
                  boost::asio::deferred_t>
    auto access(std::string path, Token&& token = Token{}) {
        return detail::initiate<void(error_code, path_access), Token>(impl_, &start_access, token,
                                                                      std::move(path));
    }

    /**
     * @brief Uses another list of servers of the same ensemble from now on.
     *
     * Returns at once. What is held and what waits stays. Where the session's server is in the new
     * list, as `host:port` is written there, the connection stays too. Else the session moves to a
     * server of the new list as soon as one takes a connection. Until then it goes on with the list
     * before, says once at level warning what is wrong, and tries again: a wrong name or port
     * costs nothing. A session that is not connected to anything yet takes the list at once. The
     * last of several lists counts.
     *
     * A move is a reconnect. A server that takes connections and serves nobody, or a server of
     * another ensemble, can cost what is held.
     *
     * Returns no error where the list is taken. Else nothing changes, and `told`, where it is
     * given, says in `cause` what is wrong:
     * - `error::bad_servers`: it is no server list, or has another chroot than the session.
     * - `error::session_closed`, `error::forked`, and what refuses the options of the session.
     */
    [[nodiscard]] TURNSTILE_API error_code set_servers(const std::string& servers,
                                                       diagnostics* told = nullptr);

    TURNSTILE_API session_state state() const noexcept;
    /// ZooKeeper's id of the session; 0 while there is none.
    TURNSTILE_API std::int64_t id() const noexcept;
    /// What the server granted; zero while there is no session.
    TURNSTILE_API std::chrono::milliseconds negotiated_timeout() const noexcept;
    /// With which another process can end the session, once this one is dead. Its id is 0 while
    /// there is no session.
    TURNSTILE_API session_key key() const;
    /// What the session and its locks have done so far.
    TURNSTILE_API session_usage usage() const noexcept;

private:
    friend class path_lock;

    using impl_ptr = std::shared_ptr<detail::session_impl>;
    using handler = detail::erased_handler<void(error_code)>;
    using state_handler = detail::erased_handler<void(error_code, session_state)>;
    using names_handler = detail::erased_handler<void(error_code, std::vector<std::string>)>;
    using access_handler = detail::erased_handler<void(error_code, path_access)>;

    TURNSTILE_API static void start_connect(const impl_ptr& impl, handler done);
    TURNSTILE_API static void start_close(const impl_ptr& impl, handler done);
    TURNSTILE_API static void start_wait(const impl_ptr& impl, session_state known,
                                         state_handler done);
    TURNSTILE_API static void start_children(const impl_ptr& impl, const std::string& path,
                                             names_handler done);
    TURNSTILE_API static void start_read(const impl_ptr& impl, const std::string& path,
                                         detail::erased_handler<void(error_code, node_value)> done);
    TURNSTILE_API static void start_access(const impl_ptr& impl, const std::string& path,
                                           access_handler done);

    impl_ptr impl_;
};

} // namespace turnstile
