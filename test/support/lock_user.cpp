// SPDX-License-Identifier: BSL-1.0
#include "lock_user.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>

#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;

lock_user::lock_user(const asio::any_io_executor& executor, acquirer how, journal* book)
    : how_(std::move(how)), book_(book), rest_(executor) {}

lock_user::~lock_user() { let_go(false); }

/// Tells the journal, once of each grant.
void lock_user::let_go(bool awaited) {
    if (std::exchange(counts_on_it_, false) && book_)
        book_->releases(held_, awaited);
}

void lock_user::start() {
    ++started;
    failure = {};
    cancelled = false;
    loss.reset();
    risk.reset();
    release_result.reset();
    downgrade_result.reset();
    upgrade_result.reset();
}

lock_user::handler lock_user::on_acquire() {
    start();
    const auto which = book_ ? book_->asks(*this) : 0;
    return asio::bind_cancellation_slot(cancellation_.slot(),
                                        [this, which](const error_code& result, held_lock granted) {
                                            on_acquired(which, result, std::move(granted));
                                        });
}

void lock_user::acquire() { how_(on_acquire()); }

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
        release_soon();
}

void lock_user::keep(promises::acquire_id which, held_lock granted) {
    ++grants;
    token = granted.fencing_token();
    granted_at = lease_clock::now();
    let_go(false); // one that it still has, lost or not
    lock = std::move(granted);
    held_ = which;
    counts_on_it_ = true;
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

void lock_user::release_soon() {
    rest_.expires_after(hold_for);
    rest_.async_wait([this, of = grants](const error_code& aborted) {
        if (!aborted && holds() && of == grants)
            release();
    });
}

// A reader from the call on.
void lock_user::downgrade() {
    ++started;
    if (counts_on_it_ && book_)
        book_->downgrades(held_);
    lock.downgrade([this](const error_code& result) {
        ++completed;
        downgrade_result = result;
    });
}

// A writer from the answer on.
void lock_user::upgrade() {
    ++started;
    lock.try_upgrade([this, which = held_](const error_code& result) {
        ++completed;
        upgrade_result = result;
        if (result)
            return;
        token = lock.fencing_token();
        if (counts_on_it_ && book_)
            book_->upgraded(which);
    });
}

void lock_user::release() {
    ++started;
    const bool told = counts_on_it_ && book_;
    let_go(true);
    lock.release([this, told, which = held_](const error_code& result) {
        ++completed;
        release_result = result;
        if (told)
            book_->released(which, result);
    });
}

} // namespace turnstile::test
