// SPDX-License-Identifier: BSL-1.0
// The locks that a session holds, and the operations that wait for them.
#pragma once

#include "session/locks/ticket_lock.hpp"
#include "session/pending_table.hpp"

#include <turnstile/error.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace turnstile::detail {

/// The handles on locks that a session holds, and the operations on them that wait: releases,
/// downgrades, upgrades, and waits for a loss or the risk of it. session_locks owns it, and calls
/// it on the session's strand. A handle leaves the table when its release begins or it is lost; the
/// operation that releases it may still wait then.
class lock_table {
public:
    using operation = operation_table<>::operation;
    using enum lock_operation;

    /// Fills the diagnostics of an operation that fails; null if no details are asked for.
    using explainer = std::function<void(diagnostics*)>;

    explicit lock_table(explainer explain) : explain_(std::move(explain)) {}

    void add(const std::shared_ptr<ticket_lock>& lock) { held_.insert_or_assign(lock->id(), lock); }
    bool holds(protocol::ticket_id lock) const { return held_.contains(lock); }
    /// Why a wait for the lock's end would be over; none: it is held.
    error_code why_over(const ticket_lock& lock) const;
    /// Null if the lock is not held any more.
    std::shared_ptr<ticket_lock> find(protocol::ticket_id lock) const;
    template <class Action>
    void for_each(Action action) const {
        for (const auto& [id, lock] : held_)
            if (const auto state = lock.lock())
                action(*state);
    }

    /// Adds an operation. Returns false if it was completed at once: the lock is lost, released or
    /// at risk already, or its downgrade or upgrade is under way. (Always true for a release.)
    bool await(lock_operation what, const ticket_lock& lock, operation_id id, operation&& done);
    /// Completes the operations of this kind on this lock.
    void end(lock_operation what, protocol::ticket_id lock, error_code result);
    /// The lock whose upgrade this operation is. Nothing if it is no upgrade that waits.
    std::optional<protocol::ticket_id> upgraded_by(operation_id id) {
        return waits_of(upgrade).group_of(id);
    }

    /// The release of the lock begins, and all other operations on it end. Returns whether it was
    /// held until now.
    bool on_release_begun(protocol::ticket_id lock);
    /// Marks the lock as lost, and ends its waits, but not the wait for its release.
    void on_lost(protocol::ticket_id lock, protocol::failure why, lease_clock::time_point deadline);
    /// Marks all locks as lost, and completes no operation.
    void lose_silently();
    /// All locks are at risk of a loss, or out of danger again.
    void on_risk(bool at_risk);

    /// Completes all operations: releases with this code, the others with session_closed.
    void fail_all(const error_code& why);

    /// Completes one operation with this code; the machine goes on with the release or downgrade.
    /// (An upgrade is not cancelled here.) Returns the lock if it was a release that no server has
    /// answered, else null.
    std::shared_ptr<lock_record> cancel(operation_id id, error_code result);
    /// The releases that no server has answered, although an operation waits or has waited for
    /// them.
    const auto& open_releases() const { return open_releases_; }
    /// Whether there are such releases whose operation was cancelled.
    bool has_unawaited_releases() const;
    /// The number of waits for a loss, or for the risk of one.
    std::size_t awaited() { return waits_of(loss).size() + waits_of(risk_of_loss).size(); }
    /// Takes all operations out, to be destroyed without a completion.
    auto take() { return std::exchange(waits_, {}); }

private:
    operation_table<>& waits_of(lock_operation what) {
        return waits_[static_cast<std::size_t>(what)];
    }
    /// Completes all operations on this lock but its release.
    void end_waits(protocol::ticket_id lock, error_code why);

    const explainer explain_;
    std::unordered_map<protocol::ticket_id, std::weak_ptr<ticket_lock>> held_;
    std::array<operation_table<>, 5> waits_; // one for each lock_operation; each grouped by lock
    std::map<protocol::ticket_id, std::shared_ptr<lock_record>> open_releases_;
    bool at_risk_ = false; // of all locks: the lease is one
};

} // namespace turnstile::detail
