// SPDX-License-Identifier: BSL-1.0
// The operations that acquire a lock, of any kind.
#pragma once

#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/detail/export.hpp>
#include <turnstile/detail/initiation.hpp>
#include <turnstile/detail/limit.hpp>
#include <turnstile/held_lock.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace turnstile {

namespace detail {
using acquire_handler = erased_handler<void(error_code, held_lock)>;
/// If not `waits`, the acquire fails if it would have to wait.
TURNSTILE_API void start_acquire(const std::shared_ptr<lock_object>& lock, bool waits,
                                 std::optional<std::chrono::nanoseconds> limit,
                                 acquire_handler&& done);
TURNSTILE_API void start_acquire(const std::shared_ptr<multi_object>& lock, bool waits,
                                 std::optional<std::chrono::nanoseconds> limit,
                                 acquire_handler&& done);
} // namespace detail

/**
 * @brief The operations that acquire a lock.
 *
 * Each kind of lock has these operations, and so has each `lock_view`. The comment of the kind says
 * what an acquire costs, whom it waits for, and which further errors it has. `Object` is a type of
 * the library.
 *
 * @par Handler signature
 * `void(error_code, held_lock)`: an empty lock on error.
 *
 * @par Errors
 * After an error nothing stays at the lock path. If a request is still open, its node goes when the
 * reply arrives, or when the session ends.
 * - `error::bad_path`, `error::nested_path`, `error::bad_servers`, `error::bad_options`,
 *   `error::bad_acl`, `error::request_too_large` (an option): nothing was sent.
 * - `error::would_deadlock`: this session holds the lock, and `session_options::own_wait` refuses
 *   to wait for it.
 * - `error::wrong_kind`: a lock of another kind, or with other names, is at the path, or was used
 *   there by this session not long ago.
 * - `error::unreachable`, `error::no_chroot`, `error::auth_failed`.
 * - `error::create_denied`, `error::read_denied`, `error::write_denied`: CREATE, READ and WRITE are
 *   needed on the lock path, and so is DELETE, for the release (`error::release_denied`).
 * - `error::session_full`, `error::sequence_exhausted`, `error::path_unstable`.
 * - `error::session_closed`, `error::forked`.
 * - a code of `zookeeper_category()` for any other answer of the server.
 *
 * @par Per-operation cancellation
 * Terminal, partial and total, each in every phase: the operation completes with
 * `operation_aborted` at once, and leaves nothing at the lock path. The session stays usable.
 *
 * @par Executor
 * The handler runs on its associated executor, else on `get_executor()`; never inline.
 *
 * @par Thread safety
 * Safe, except for move and assignment: all members may be called at any time from any thread. An
 * object that was moved from may only be destroyed or assigned to.
 *
 * @par Object lifetimes
 * Operations and held locks may outlive the lock object and the session object
 * (`error::session_closed`). But the destruction of the lock object cancels the operations that
 * were started through it and its views.
 */
template <class Object>
class lock_base {
public:
    using executor_type = boost::asio::any_io_executor;

    /// The session's executor.
    executor_type get_executor() const noexcept { return detail::executor_of(*object_); }

    /**
     * @brief Acquires the lock.
     *
     * It waits without a limit for those before it. If no server can be reached, it waits for
     * `session_options::unreachable_limit`. If another program deletes its ticket, or the ZooKeeper
     * session expires, it takes a new place by itself.
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  boost::asio::deferred_t>
    auto acquire(Token&& token = Token{}) const {
        return start<Token>(true, {}, token);
    }

    /**
     * @brief Acquires the lock if it is free and its queue is empty.
     *
     * It does not wait. If another has the lock, it completes without an error, and with an empty
     * lock.
     *
     *     if (auto lock = co_await orders.try_acquire())
     *         ... // it is held
     */
    template <boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  boost::asio::deferred_t>
    auto try_acquire(Token&& token = Token{}) const {
        return start<Token>(false, {}, token);
    }

    /**
     * @brief Acquires the lock within a time limit.
     *
     * The limit counts from the start of the operation. (With `deferred` that is when it is
     * awaited.) A limit of a year or more is no limit. One that is not above zero (or is a NaN) is
     * over at once.
     *
     * @par Errors
     * - `error::timeout`: the limit is over.
     * - `error::unreachable`: the limit is over, and no server can be reached.
     */
    template <class Rep, class Period,
              boost::asio::completion_token_for<void(error_code, held_lock)> Token =
                  boost::asio::deferred_t>
    auto acquire_for(std::chrono::duration<Rep, Period> limit, Token&& token = Token{}) const {
        return start<Token>(true, detail::limit_of(limit), token);
    }

protected:
    explicit lock_base(std::shared_ptr<Object> object) : object_(std::move(object)) {}
    lock_base(const lock_base&) = default;
    lock_base(lock_base&&) noexcept = default;
    lock_base& operator=(const lock_base&) = default;
    lock_base& operator=(lock_base&&) noexcept = default;
    ~lock_base() = default;

    std::shared_ptr<Object> object_;

private:
    template <class Token>
    auto start(bool waits, std::optional<std::chrono::nanoseconds> limit,
               std::remove_reference_t<Token>& token) const {
        using start_type = void (*)(const std::shared_ptr<Object>&, bool, decltype(limit),
                                    detail::acquire_handler&&);
        return detail::initiate<void(error_code, held_lock), Token>(
            object_, start_type(&detail::start_acquire), token, waits, limit);
    }
};

} // namespace turnstile
