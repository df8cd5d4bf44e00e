// SPDX-License-Identifier: BSL-1.0
#include "session/locks/ticket_lock.hpp"

#include "session/locks/held_view.hpp"
#include "session/session_impl.hpp"

#include <algorithm>

namespace turnstile::detail {

namespace {

// Reads each instant at the moment of its call: held_view says in which order.
struct live_reads {
    const ticket_lock& lock;

    bool is_lost() const { return lock.loss() != protocol::failure::none; }
    lease_clock::time_point last_deadline() const { return lock.last_deadline(); }
    lease_clock::time_point deadline() const { return lock.deadline_in_force(); }
    // The strand may not have reported the end of the limit yet.
    lease_clock::time_point loss_at() const { return std::min(in_force().loss_at(), lock.limit()); }
    lease_clock::time_point risk() const { return std::min(in_force().risk(), lock.limit()); }
    static lease_clock::time_point now() { return lease_clock::now(); }

private:
    const lease_view& in_force() const { return lock.session()->lease_in_force(); }
};

} // namespace

const boost::asio::any_io_executor& ticket_lock::executor() const { return session_->executor(); }

// A forked child does not learn of a release or a loss in its parent, so it believes in nothing.
lease_clock::time_point ticket_lock::deadline() const {
    if (session_->is_forked())
        return {};
    const live_reads reads{*this};
    return held_view(reads).deadline();
}

bool ticket_lock::is_held() const {
    if (session_->is_forked())
        return false;
    const live_reads reads{*this};
    return held_view(reads).is_held();
}

bool ticket_lock::is_at_risk() const {
    if (session_->is_forked() || is_limit_near())
        return true;
    const live_reads reads{*this};
    return held_view(reads).is_at_risk();
}

lease_clock::time_point ticket_lock::deadline_in_force() const {
    const auto& lease = session_->lease_in_force();
    const bool is_limited = limit_ != lease_clock::time_point::max();
    return is_limited ? std::min(lease.deadline(), limit_ + lease.margin()) : lease.deadline();
}

std::shared_ptr<lock_state> ticket_lock::share() {
    return session_->locks().share(self(), first_ ? first_ : self());
}

void ticket_lock::start(lock_operation what, plain_handler&& done) {
    session_->locks().start(what, self(), std::move(done));
}

void ticket_lock::release() noexcept { session_->locks().release(self()); }

void ticket_lock::on_dropped() noexcept { session_->warn_of_drop(record_); }

} // namespace turnstile::detail
