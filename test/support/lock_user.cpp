// SPDX-License-Identifier: BSL-1.0
#include "lock_user.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>

#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;

lock_user::lock_user(const asio::any_io_executor& executor, acquirer how, journal* book)
    : start_acquire_(std::move(how)), book_(book), rest_(executor) {}

lock_user::~lock_user() { tell_release(false); }

void lock_user::tell_release(bool awaited) {
    if (std::exchange(has_not_released_, false) && book_)
        book_->releases(held_, awaited);
}

void lock_user::forget_results() {
    failure = {};
    cancelled = false;
    loss.reset();
    risk.reset();
    release_result.reset();
    downgrade_result.reset();
    upgrade_result.reset();
}

lock_user::handler lock_user::on_acquire() {
    ++started;
    forget_results();
    const auto which = book_ ? book_->asks(*this) : 0;
    return asio::bind_cancellation_slot(cancellation_.slot(),
                                        [this, which](const error_code& result, held_lock granted) {
                                            on_acquired(which, result, std::move(granted));
                                        });
}

void lock_user::acquire() { start_acquire_(on_acquire()); }

void lock_user::cancel() {
    cancelled = true;
    cancellation_.emit(asio::cancellation_type::terminal);
}

void lock_user::on_acquired(promises::acquire_id which, const error_code& result,
                            held_lock granted) {
    ++completed;
    failure = result;
    if (!result && !granted) // others have it
        failure = error::would_block;
    if (failure) {
        if (book_)
            book_->failed(which, failure);
        return;
    }
    keep(which, std::move(granted));
    if (release_when_granted && hold_for.count() == 0)
        return release();
    await_loss();
    await_risk();
    if (release_when_granted)
        release_after_hold();
}

void lock_user::keep(promises::acquire_id which, held_lock granted) {
    ++grants;
    token = granted.fencing_token();
    granted_at = lease_clock::now();
    tell_release(false); // of the lock before, which goes now, if it was not released
    lock = std::move(granted);
    held_ = which;
    has_not_released_ = true;
    if (book_)
        book_->granted(which);
}

void lock_user::await_loss() {
    ++losses_awaited;
    lock.wait_lost([this, which = held_, of = grants](const error_code& why) {
        ++losses_told;
        if (why == error::released || of != grants)
            return;
        loss = why;
        lost_at = lease_clock::now();
        if (book_)
            book_->lost(which, why);
    });
}

void lock_user::await_risk() {
    lock.wait_at_risk([this, of = grants](const error_code& why) {
        if (why == error::released || of != grants)
            return;
        risk = why;
        at_risk_at = lease_clock::now();
    });
}

void lock_user::release_after_hold() {
    rest_.expires_after(hold_for);
    rest_.async_wait([this, of = grants](const error_code& aborted) {
        if (!aborted && holds() && of == grants)
            release();
    });
}

// It counts as a reader from the call on, and after an upgrade as a writer from the answer on.
void lock_user::downgrade() {
    ++started;
    if (has_not_released_ && book_)
        book_->downgrades(held_);
    lock.downgrade([this](const error_code& result) {
        ++completed;
        downgrade_result = result;
    });
}

void lock_user::upgrade() {
    ++started;
    lock.try_upgrade([this, which = held_](const error_code& result) {
        ++completed;
        upgrade_result = result;
        if (result)
            return;
        token = lock.fencing_token();
        if (has_not_released_ && book_)
            book_->upgraded(which);
    });
}

void lock_user::release() {
    ++started;
    const bool is_told = has_not_released_ && book_;
    tell_release(true);
    lock.release([this, is_told, which = held_](const error_code& result) {
        ++completed;
        release_result = result;
        if (is_told)
            book_->released(which, result);
    });
}

} // namespace turnstile::test
