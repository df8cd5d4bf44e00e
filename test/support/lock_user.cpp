#include "lock_user.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>

#include <utility>

namespace turnstile::test {

namespace asio = boost::asio;

lock_user::lock_user(const asio::any_io_executor& executor, acquirer how, journal* book)
    : how_(std::move(how)), book_(book), rest_(executor) {}

lock_user::~lock_user() {
    if (book_)
        book_->holding.erase(this);
}

void lock_user::start() {
    ++started;
    failure = {};
    loss.reset();
    risk.reset();
    release_result.reset();
}

lock_user::handler lock_user::on_acquire() {
    start();
    return asio::bind_cancellation_slot(cancellation_.slot(),
                                        [this](const error_code& result, held_lock granted) {
                                            on_acquired(result, std::move(granted));
                                        });
}

void lock_user::acquire() { how_(on_acquire()); }

void lock_user::cancel() { cancellation_.emit(asio::cancellation_type::terminal); }

void lock_user::on_acquired(const error_code& result, held_lock granted) {
    ++completed;
    failure = result;
    if (result)
        return;
    ++grants;
    token = granted.fencing_token();
    granted_at = lease_clock::now();
    if (book_)
        book_->granted(*this);
    lock = std::move(granted);
    if (release_when_granted && hold_for.count() == 0)
        return release();
    await_loss();
    await_risk();
    if (release_when_granted)
        release_soon();
}

void lock_user::await_loss() {
    ++losses_awaited;
    lock.lost([this, of = token](const error_code& why) {
        ++losses_told;
        if (why == asio::error::operation_aborted || of != token)
            return;
        loss = why;
        lost_at = lease_clock::now();
    });
}

void lock_user::await_risk() {
    lock.at_risk([this, of = token](const error_code& why) {
        if (why == asio::error::operation_aborted || of != token)
            return;
        risk = why;
        at_risk_at = lease_clock::now();
    });
}

void lock_user::release_soon() {
    rest_.expires_after(hold_for);
    rest_.async_wait([this, of = token](const error_code& aborted) {
        if (!aborted && holds() && of == token)
            release();
    });
}

void lock_user::release() {
    ++started;
    if (book_)
        book_->holding.erase(this);
    lock.release([this](const error_code& result) {
        ++completed;
        release_result = result;
    });
}

} // namespace turnstile::test
