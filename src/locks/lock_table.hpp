// SPDX-License-Identifier: BSL-1.0
// The locks that a session holds, and who waits for their release, their loss or the risk of it.
#pragma once

#include "locks/grouped_table.hpp"
#include "locks/ticket_lock.hpp"

#include <turnstile/error.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace turnstile::detail {

class lock_table {
public:
    using waits = grouped_table<pending_operation<error_code>>; // by lock
    using operation = waits::operation;

    /// Fills the diagnostics of an operation that fails; null where nobody asks.
    using explainer = std::function<void(diagnostics*)>;

    lock_table(const home_executor& home, explainer explain)
        : home_(home), explain_(std::move(explain)) {}

    void granted(const std::shared_ptr<ticket_lock>& lock) {
        held_.insert_or_assign(lock->id(), lock);
    }
    bool holds(protocol::ticket_id lock) const { return held_.contains(lock); }
    /// Null where it is not held any more.
    std::shared_ptr<ticket_lock> find(protocol::ticket_id lock) const;
    template <class Action>
    void for_each(Action action) const {
        for (const auto& [id, lock] : held_)
            if (const auto state = lock.lock())
                action(*state);
    }

    /// The lock is on its way out: nobody waits for its loss any more. Whether it was held until
    /// now.
    bool releasing(protocol::ticket_id lock);
    void await_release(protocol::ticket_id lock, operation_id id, operation&& done);
    void released(protocol::ticket_id lock, error_code result);

    /// Whether it waits: else it is completed with what has become of the lock.
    bool await_downgrade(const ticket_lock& lock, operation_id id, operation&& done);
    void downgraded(protocol::ticket_id lock, error_code result);

    /// The same for an upgrade.
    bool await_upgrade(const ticket_lock& lock, operation_id id, operation&& done);
    void upgraded(protocol::ticket_id lock, error_code result);
    /// The lock whose upgrade an operation waits for.
    std::optional<protocol::ticket_id> upgraded_by(operation_id id) const {
        return upgrades_.group_of(id);
    }

    void await_loss(const ticket_lock& lock, operation_id id, operation&& done);
    void lost(protocol::ticket_id lock, protocol::failure why, lease_clock::time_point deadline);
    /// All are lost, and nobody is told: the execution context is going.
    void lose_silently(protocol::failure why);

    void await_risk(const ticket_lock& lock, operation_id id, operation&& done);
    /// All that are held are at risk of a loss, or out of danger again.
    void risk(bool at_risk);

    /// All are over: who waits for a release is told why, who waits for a loss or a risk of the
    /// session's end.
    void fail_all(const error_code& why);

    /// Stops one waiting; the lock goes its way.
    bool cancel(operation_id id, error_code result);
    /// How many wait for a loss, or the risk of one.
    std::size_t awaited() const { return losses_.size() + risks_.size(); }
    auto take() {
        return std::tuple{releases_.take(), downgrades_.take(), upgrades_.take(), losses_.take(),
                          risks_.take()};
    }

private:
    void end(waits& where, protocol::ticket_id lock, error_code result);
    void end_waits(protocol::ticket_id lock, error_code why);
    /// Whether a wait begun now waits: else it is completed with what has become of the lock.
    bool begin_wait(waits& where, const ticket_lock& lock, operation_id id, operation&& done);
    /// The same of a wait that there is one of at a time: a second one fails so.
    bool begin_only(waits& where, const ticket_lock& lock, operation_id id, operation&& done,
                    error second);

    const home_executor& home_;
    const explainer explain_;
    std::unordered_map<protocol::ticket_id, std::weak_ptr<ticket_lock>> held_;
    waits releases_;
    waits downgrades_;
    waits upgrades_;
    waits losses_;
    waits risks_;
    bool at_risk_ = false;
};

} // namespace turnstile::detail
