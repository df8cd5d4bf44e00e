// SPDX-License-Identifier: BSL-1.0
#include "locks/lock_table.hpp"

#include "locks/failure_codes.hpp"

#include <utility>

namespace turnstile::detail {

std::shared_ptr<ticket_lock> lock_table::find(protocol::ticket_id lock) const {
    const auto found = held_.find(lock);
    return found == held_.end() ? nullptr : found->second.lock();
}

bool lock_table::releasing(protocol::ticket_id lock) {
    const bool held = held_.erase(lock) != 0;
    end_waits(lock, error::released);
    return held;
}

void lock_table::await_release(protocol::ticket_id lock, operation_id id, operation&& done) {
    releases_.add(id, lock, std::move(done));
}

void lock_table::released(protocol::ticket_id lock, error_code result) {
    end(releases_, lock, result);
}

bool lock_table::begin_wait(waits& where, const ticket_lock& lock, operation_id id,
                            operation&& done) {
    where.add(id, lock.id(), std::move(done));
    if (lock.loss() != protocol::failure::none)
        return !where.complete(id, home_, to_error_code(lock.loss()));
    if (!holds(lock.id()))
        return !where.complete(id, home_, error_code(error::released));
    return true;
}

// The answer to the first one is for itself alone.
bool lock_table::begin_only(waits& where, const ticket_lock& lock, operation_id id,
                            operation&& done, error second) {
    const bool is_second = where.has_any(lock.id());
    return begin_wait(where, lock, id, std::move(done)) &&
           !(is_second && where.complete(id, home_, second));
}

bool lock_table::await_downgrade(const ticket_lock& lock, operation_id id, operation&& done) {
    return begin_only(downgrades_, lock, id, std::move(done), error::not_exclusive);
}

void lock_table::downgraded(protocol::ticket_id lock, error_code result) {
    end(downgrades_, lock, result);
}

bool lock_table::await_upgrade(const ticket_lock& lock, operation_id id, operation&& done) {
    return begin_only(upgrades_, lock, id, std::move(done), error::would_block);
}

void lock_table::upgraded(protocol::ticket_id lock, error_code result) {
    end(upgrades_, lock, result);
}

void lock_table::await_loss(const ticket_lock& lock, operation_id id, operation&& done) {
    begin_wait(losses_, lock, id, std::move(done));
}

void lock_table::await_risk(const ticket_lock& lock, operation_id id, operation&& done) {
    if (begin_wait(risks_, lock, id, std::move(done)) && at_risk_)
        risks_.complete(id, home_, {});
}

void lock_table::lost(protocol::ticket_id lock, protocol::failure why,
                      lease_clock::time_point deadline) {
    auto node = held_.extract(lock);
    if (node.empty())
        return;
    if (const auto state = node.mapped().lock())
        state->lose(why, deadline);
    end_waits(lock, to_error_code(why));
}

void lock_table::lose_silently(protocol::failure why) {
    for (const auto& [id, lock] : std::exchange(held_, {}))
        if (const auto state = lock.lock())
            state->lose(why, {});
}

void lock_table::risk(bool at_risk) {
    at_risk_ = at_risk;
    if (at_risk)
        for (const auto& [id, lock] : held_)
            risks_.complete_group(id, home_, {});
}

void lock_table::fail_all(const error_code& why) {
    releases_.fail_all(home_, why);
    downgrades_.fail_all(home_, error::session_closed);
    upgrades_.fail_all(home_, error::session_closed);
    losses_.fail_all(home_, error::session_closed);
    risks_.fail_all(home_, error::session_closed);
}

void lock_table::end(waits& where, protocol::ticket_id lock, error_code result) {
    if (result)
        where.for_each(lock, [this](const operation& failing) { explain_(failing.told()); });
    where.complete_group(lock, home_, result);
}

void lock_table::end_waits(protocol::ticket_id lock, error_code why) {
    end(downgrades_, lock, why);
    end(upgrades_, lock, why);
    losses_.complete_group(lock, home_, why);
    risks_.complete_group(lock, home_, why);
}

bool lock_table::cancel(operation_id id, error_code result) {
    return releases_.complete(id, home_, result) || downgrades_.complete(id, home_, result) ||
           losses_.complete(id, home_, result) || risks_.complete(id, home_, result);
}

} // namespace turnstile::detail
