// SPDX-License-Identifier: BSL-1.0
// What a held_lock owns, whatever the kind of lock.
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

/// A kind of lock says here how one that is held is read, released and watched. All members may be
/// called on any thread.
class lock_state : public std::enable_shared_from_this<lock_state> {
public:
    using plain_handler = erased_handler<void(error_code)>;

    static held_lock own(std::shared_ptr<lock_state> state) { return held_lock(std::move(state)); }
    /// Null where nothing is owned.
    static const lock_state* of(const held_lock& lock) { return lock.state_.get(); }

    /// Takes what is owned out of the value.
    static std::shared_ptr<lock_state> take(held_lock& lock);

    virtual ~lock_state() = default;

    virtual const boost::asio::any_io_executor& executor() const = 0;
    virtual fencing_token token() const = 0;
    /// One for each part, of a lock that has parts.
    virtual std::vector<fencing_token> tokens() const { return {token()}; }
    virtual lease_clock::time_point deadline() const = 0;
    virtual bool is_held() const = 0;
    virtual bool is_at_risk() const = 0;
    /// The program closed the session, and so ended the lock.
    virtual bool is_closed() const = 0;

    /// A further handle on what is held, with waits and a release of its own. Those behind it are
    /// served once the last handle is released.
    virtual std::shared_ptr<lock_state> share() = 0;
    /// Those by which it is held, one for each part.
    virtual std::vector<std::shared_ptr<ticket_lock>> tickets() = 0;
    virtual void start(lock_operation what, plain_handler&& done) = 0;
    /// In the background: no operation waits for the answer.
    virtual void release() noexcept = 0;
    /// The lock was not looked at, and goes as soon as it was granted.
    virtual void on_dropped() noexcept {}
    /// Completes with an error, and does nothing else.
    void refuse(plain_handler&& done, error why) const;
};

/// Lives while a handler is called with a lock. A lock that goes at once, and that the handler has
/// not looked at, was dropped: gcc 12 says nothing of `co_await orders.acquire();`.
class grant_turn {
public:
    explicit grant_turn(const lock_state* granted) noexcept
        : granted_(granted), outer_(std::exchange(current_, this)) {}
    ~grant_turn() { current_ = outer_; }
    grant_turn(const grant_turn&) = delete;
    grant_turn& operator=(const grant_turn&) = delete;

    static void look_at(const lock_state* lock) noexcept {
        if (current_ && current_->granted_ == lock)
            current_->granted_ = nullptr;
    }
    static bool drops(const lock_state* lock) noexcept {
        return current_ && lock && current_->granted_ == lock &&
               lease_clock::now() - current_->begin_ < std::chrono::milliseconds(1);
    }

private:
    static inline thread_local grant_turn* current_ = nullptr;

    const lock_state* granted_;
    const lease_clock::time_point begin_ =
        granted_ ? lease_clock::now() : lease_clock::time_point();
    grant_turn* const outer_;
};

} // namespace turnstile::detail
