// SPDX-License-Identifier: BSL-1.0
// The state that a held_lock owns.
#pragma once

#include <turnstile/detail/erased_handler.hpp>
#include <turnstile/error.hpp>
#include <turnstile/fencing_token.hpp>
#include <turnstile/held_lock.hpp>
#include <turnstile/lease_clock.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace turnstile::detail {

class ticket_lock;

/// One handle on a lock that is held: the interface by which held_lock reads, releases and watches
/// it. ticket_lock implements it for one lock, multi_hold for those of a multi_lock. The held_lock
/// and the operations that it has started share the ownership. All members may be called on any
/// thread.
class lock_state : public std::enable_shared_from_this<lock_state> {
public:
    using plain_handler = erased_handler<void(error_code)>;

    /// Makes the held_lock that owns this state.
    static held_lock own(std::shared_ptr<lock_state> state) { return held_lock(std::move(state)); }
    /// Null if the held_lock is empty.
    static const lock_state* of(const held_lock& lock) { return lock.state_.get(); }

    /// Takes the state out of a held_lock, which is empty then.
    static std::shared_ptr<lock_state> take(held_lock& lock);

    virtual ~lock_state() = default;

    virtual const boost::asio::any_io_executor& executor() const = 0;
    virtual fencing_token token() const = 0;
    /// The tokens of all parts of a multi_lock; one for any other lock.
    virtual std::vector<fencing_token> tokens() const { return {token()}; }
    virtual lease_clock::time_point deadline() const = 0;
    virtual bool is_held() const = 0;
    virtual bool is_at_risk() const = 0;
    /// Whether the lock is lost because the program closed the session.
    virtual bool is_closed() const = 0;

    /// Makes a further handle, with waits and a release of its own. The lock is released with its
    /// last handle.
    virtual std::shared_ptr<lock_state> share() = 0;
    /// The tickets that hold the lock, one for each part.
    virtual std::vector<std::shared_ptr<ticket_lock>> tickets() = 0;
    /// Starts a release, a downgrade, an upgrade, or a wait for a loss or the risk of it.
    virtual void start(lock_operation what, plain_handler&& done) = 0;
    /// Releases in the background: no operation waits for the answer.
    virtual void release() noexcept = 0;
    /// The held_lock was destroyed in the turn of its grant, and nobody had used it (grant_turn).
    virtual void on_dropped() noexcept {}
    /// Completes an operation with this error, and does nothing else.
    void refuse(plain_handler&& done, error why) const;
};

/// Lives while a handler is called with a granted lock, and finds out whether the handler drops it,
/// as `co_await orders.acquire();` does. (gcc 12 does not warn of that.) A lock was dropped if it
/// is destroyed within a millisecond, and the handler has not looked at it. bound_completion makes
/// a turn, on the handler's thread.
class grant_turn {
public:
    explicit grant_turn(const lock_state* granted) noexcept
        : granted_(granted), outer_(std::exchange(current_, this)) {}
    ~grant_turn() { current_ = outer_; }
    grant_turn(const grant_turn&) = delete;
    grant_turn& operator=(const grant_turn&) = delete;

    /// The handler uses this lock: it was not dropped.
    static void look_at(const lock_state* lock) noexcept {
        if (current_ && current_->granted_ == lock)
            current_->granted_ = nullptr;
    }
    /// Whether the handler drops this lock, which is being destroyed.
    static bool drops(const lock_state* lock) noexcept {
        return current_ && lock && current_->granted_ == lock &&
               lease_clock::now() - current_->begin_ < std::chrono::milliseconds(1);
    }

private:
    static inline thread_local grant_turn* current_ = nullptr;

    const lock_state* granted_; // null once the handler has looked at it
    const lease_clock::time_point begin_ =
        granted_ ? lease_clock::now() : lease_clock::time_point();
    grant_turn* const outer_;
};

} // namespace turnstile::detail
