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
 * It reconnects by itself, with a jittered back-off. When the ZooKeeper session has expired, it
 * opens a new one: then held locks are lost, and waiting acquires line up again. It never blocks a
 * thread of the executor: the look-up of a server's name, the steps of SASL and the reading of
 * TLS's files run on threads of their own.
 *
 * @par Thread safety
 * Safe, except for move and assignment: all members may be called at any time from any thread.
 * A session that was moved from may only be destroyed or assigned to.
 *
 * @par Executor
 * A handler is a `void(error_code)`, unless the operation says otherwise. It runs on its associated
 * executor, else on `get_executor()`; never inline. The session's own work runs on one strand over
 * its executor, which posts a handler to the handler's executor. (An executor inside an
 * `any_completion_handler` cannot post. Such handlers, and those of `use_future`, are posted to the
 * session's executor first.)
 *
 * @par Errors
 * All operations have these errors, unless they say otherwise:
 * - `error::bad_servers`, `error::bad_options` (`diagnostics` and the log name the option),
 *   `error::bad_acl`, `error::request_too_large` (an option): nothing was sent.
 * - `error::unreachable`, `error::auth_failed`, `error::session_closed`, `error::forked`.
 * - a code of `zookeeper_category()` for any other answer of the server.
 *
 * @par Per-operation cancellation
 * Terminal, partial and total: the operation completes with `operation_aborted` at once. This stops
 * the wait alone: the session goes on with its work. `close` accepts `terminal` alone.
 *
 * @par Object lifetimes
 * An open session is outstanding work of its execution context until `close()` has completed or the
 * object is destroyed. The destructor ends every operation: `close` with success, a wait for a
 * change of state with the state `closed`, all others with `error::session_closed`. It tells the
 * server that the session is over, if it can do so at once; otherwise the session expires. Locks
 * and held locks may outlive the session object; held locks are lost then. When the execution
 * context is destroyed, pending handlers are destroyed uninvoked, held locks are lost, and the
 * session lets go of the executor. A look-up of a server's name that is under way outlives the
 * session, on a thread of its own.
 *
 * @par Exceptions
 * If an allocation inside the library fails, the session ends: held locks are lost at once, and
 * waiting operations complete with `boost::asio::error::no_memory`. `std::bad_alloc` is thrown out
 * of the executor's `run()`, or out of the call that started an operation.
 *
 * @par Fork
 * Fork followed by exec is safe: descriptors are close-on-exec. In a forked child that did not
 * exec, operations fail with `error::forked`, and the destructor leaves the parent's session alone.
 * A child that uses the execution context again must call its `notify_fork` first, as Asio demands:
 * this closes the child's copies of the connections. If other threads use the library at the moment
 * of the fork, the child must exec: those threads may hold internal locks.
 */
class session {
public:
    using executor_type = boost::asio::any_io_executor;

    /// Does no I/O. If an option is bad, the operations fail. Throws
    /// `boost::asio::execution::bad_executor` if the executor is empty. (Leave out the last
    /// parameter: see detail/built_with.hpp.)
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
     * It shows early whether the servers can be reached. An acquire does not need it: it connects
     * by itself.
     *
     * @par Errors
     * - `error::connect_timeout`: no server answered within `session_options::connect_timeout`,
     *   counted from the first `connect` that waits. Acquires that wait go on waiting. If none
     *   waits, and there is no ZooKeeper session, the attempts end.
     * - `error::unreachable`: three answers in a row did not say whether their requests were
     *   carried out.
     *
     * @par Per-operation cancellation
     * The session goes on connecting. If no other `connect` waits, the limit of `connect_timeout`
     * does not apply any more.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto connect(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(impl_, &start_connect, token);
    }

    /**
     * @brief Ends the session at the server.
     *
     * Releases that were asked for before are sent first. Held locks are lost, and waiting acquires
     * fail with `error::session_closed`. A closed session stays closed. The operation completes
     * when the server has ended the session. It does not wait for a server that is silent for a
     * third of the session timeout, or needs longer than `connect_timeout`: then the session is
     * left to expire. `error::forked` is its only error.
     */
    template <boost::asio::completion_token_for<void(error_code)> Token = boost::asio::deferred_t>
    auto close(Token&& token = Token{}) {
        return detail::initiate<void(error_code), Token>(impl_, &start_close, token);
    }

    /**
     * @brief Waits until the session's state is another than `known`.
     *
     * Level-triggered: a change that came before the call is not missed. Completes with the new
     * state: `void(error_code, session_state)`. If `known` is `closed`, and the session is closed,
     * it completes with `error::session_closed`.
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
     * `path` may be any node. `/` is the root, or the chroot of the server list. It costs one
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
    auto list_children(std::string path, Token&& token = Token{}) {
        return detail::initiate<void(error_code, std::vector<std::string>), Token>(
            impl_, &start_children, token, std::move(path));
    }

    /**
     * @brief Reads the data of a node, such as one that `held_lock::write_guarded` writes.
     *
     * If this session holds a lock, the data shows all that was written under the lock before.
     * Otherwise the server may be behind the others. Completes with `void(error_code, node_value)`.
     *
     * @par Errors
     * - `error::bad_path`, `error::read_denied`.
     * - -101 of `zookeeper_category()`: there is no such node.
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
     * trips, and one more for each node that is missing. Completes with
     * `void(error_code, path_access)`. If a right is denied, `path_access` says so, and the
     * operation succeeds.
     *
     * @par Errors
     * - `error::bad_path`: nothing was sent.
     * - `error::no_chroot`: the chroot of the server list is missing.
     */
    template <boost::asio::completion_token_for<void(error_code, path_access)> Token =
                  boost::asio::deferred_t>
    auto check_access(std::string path, Token&& token = Token{}) {
        return detail::initiate<void(error_code, path_access), Token>(impl_, &start_access, token,
                                                                      std::move(path));
    }

    /**
     * @brief Uses another list of servers of the same ensemble from now on.
     *
     * Returns at once. Held locks and waiting operations stay. If the session's server is in the
     * new list, written as the same `host:port`, the connection stays, too. Otherwise the session
     * moves to a server of the new list as soon as one accepts a connection. Until then it goes on
     * with the old list, logs one warning, and tries again: a wrong name or port does no harm. A
     * session without a connection uses the new list at once. The last of several lists counts.
     *
     * A move is a reconnect. Held locks can be lost if the new server accepts connections but does
     * not answer, or if it belongs to another ensemble.
     *
     * Returns no error if the list is accepted. Otherwise nothing changes, and `told->cause` says
     * what is wrong, unless `told` is null:
     * - `error::bad_servers`: it is no server list, or has another chroot than the session.
     * - `error::session_closed`, `error::forked`, and the errors of bad options.
     */
    [[nodiscard]] TURNSTILE_API error_code set_servers(const std::string& servers,
                                                       diagnostics* told = nullptr);

    TURNSTILE_API session_state state() const noexcept;
    /// ZooKeeper's id of the session; 0 while there is none.
    TURNSTILE_API std::int64_t id() const noexcept;
    /// The session timeout that the server granted; zero while there is no session.
    TURNSTILE_API std::chrono::milliseconds negotiated_timeout() const noexcept;
    /// The key with which another process can end the session, once this one is dead. Its id is 0
    /// while there is no session.
    TURNSTILE_API session_key key() const;
    /// Counts of all that the session and its locks have done so far.
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
