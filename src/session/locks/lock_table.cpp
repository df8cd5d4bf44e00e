// SPDX-License-Identifier: BSL-1.0
#include "session/locks/lock_table.hpp"

#include "session/values/failure_codes.hpp"

namespace turnstile::detail {

std::shared_ptr<ticket_lock> lock_table::find(protocol::ticket_id lock) const {
    const auto found = held_.find(lock);
    return found == held_.end() ? nullptr : found->second.lock();
}

error_code lock_table::why_over(const ticket_lock& lock) const {
    if (lock.loss() != protocol::failure::none)
        return to_error_code(lock.loss());
    return holds(lock.id()) ? error_code() : error::released;
}

bool lock_table::await(lock_operation what, const ticket_lock& lock, operation_id id,
                       operation&& done) {
    auto& waits = waits_of(what);
    const bool is_second = waits.first_of(lock.id()).has_value();
    waits.add(id, std::move(done), lock.id());
    if (what == release) {
        if (lock.loss() != protocol::failure::none)
            end(release, lock.id(), to_error_code(lock.loss()));
        else
            open_releases_.emplace(lock.id(), lock.record());
        return true;
    }
    const auto refuse = [&](const error_code& why) {
        if (what == downgrade || what == upgrade)
            explain_(waits.find(id)->diag());
        return !waits.complete(id, why);
    };
    if (const auto over = why_over(lock))
        return refuse(over);
    if (is_second && what == downgrade)
        return refuse(error::not_exclusive);
    if (is_second && what == upgrade)
        return refuse(error::would_block);
    return what != risk_of_loss || !(at_risk_ || lock.is_limit_near()) || !waits.complete(id, {});
}

void lock_table::end(lock_operation what, protocol::ticket_id lock, error_code result) {
    auto& waits = waits_of(what);
    if (what == release)
        open_releases_.erase(lock);
    if (result && what != loss && what != risk_of_loss)
        for (const auto id : waits.members(lock))
            explain_(waits.find(id)->diag());
    waits.complete_group(lock, result);
}

void lock_table::end_waits(protocol::ticket_id lock, error_code why) {
    for (const auto what : {downgrade, upgrade, loss, risk_of_loss})
        end(what, lock, why);
}

bool lock_table::on_release_begun(protocol::ticket_id lock) {
    const bool was_held = held_.erase(lock) != 0;
    end_waits(lock, error::released);
    return was_held;
}

void lock_table::on_lost(protocol::ticket_id lock, protocol::failure why,
                         lease_clock::time_point deadline) {
    auto handle = held_.extract(lock);
    if (handle.empty())
        return;
    if (const auto state = handle.mapped().lock())
        state->lose(why, deadline);
    end_waits(lock, to_error_code(why));
}

void lock_table::lose_silently() {
    for (const auto& [id, lock] : std::exchange(held_, {}))
        if (const auto state = lock.lock())
            state->lose(protocol::failure::session_closed, {});
}

void lock_table::on_risk(bool at_risk) {
    at_risk_ = at_risk;
    if (at_risk)
        for (const auto& [id, lock] : held_)
            end(risk_of_loss, id, {});
}

void lock_table::fail_all(const error_code& why) {
    for (const auto what : {release, downgrade, upgrade, loss, risk_of_loss})
        waits_of(what).fail_all(what == release ? why : error::session_closed);
}

bool lock_table::has_unawaited_releases() const {
    for (const auto& [lock, record] : open_releases_)
        if (!waits_[static_cast<std::size_t>(release)].first_of(lock))
            return true;
    return false;
}

std::shared_ptr<lock_record> lock_table::cancel(operation_id id, error_code result) {
    const auto released = waits_of(release).group_of(id); // nothing: it is no release
    for (const auto what : {release, downgrade, loss, risk_of_loss})
        if (waits_of(what).complete(id, result))
            break;
    const auto open = released ? open_releases_.find(*released) : open_releases_.end();
    return open == open_releases_.end() ? nullptr : open->second;
}

} // namespace turnstile::detail
