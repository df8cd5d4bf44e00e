// SPDX-License-Identifier: BSL-1.0
// The locks that a session holds, and the waits for their release, their loss or the risk of it.
#pragma once

#include "session/pending_table.hpp"
#include "session/ticket_lock.hpp"

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

class lock_table {
public:
    using operation = operation_table<>::operation;
    using enum lock_operation;

    /// Fills the diagnostics of an operation that fails; null where no details are asked for.
    using explainer = std::function<void(diagnostics*)>;

    explicit lock_table(explainer explain) : explain_(std::move(explain)) {}

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

    /// Whether it waits: else it is completed with what has become of the lock. Of a lock's
    /// downgrades and upgrades there is one at a time, and a second one fails.
    bool await(lock_operation what, const ticket_lock& lock, operation_id id, operation&& done);
    /// Completes those that wait for this lock.
    void end(lock_operation what, protocol::ticket_id lock, error_code result);
    /// The lock whose upgrade an operation waits for.
    std::optional<protocol::ticket_id> upgraded_by(operation_id id) {
        return waits_of(upgrade).group_of(id);
    }

    /// The lock is on its way out: the waits for its loss are over. Whether it was held until now.
    bool releasing(protocol::ticket_id lock);
    void lost(protocol::ticket_id lock, protocol::failure why, lease_clock::time_point deadline);
    /// All are lost, and no wait is completed: the execution context is going.
    void lose_silently();
    /// All that are held are at risk of a loss, or out of danger again.
    void risk(bool at_risk);

    /// Ends all: a wait for a release with this reason, the others with the session's end.
    void fail_all(const error_code& why);

    /// Stops one waiting; the lock goes its way. An upgrade is taken back instead. Returns where
    /// the release is that no server has answered yet; null where it was another operation.
    std::shared_ptr<lock_record> cancel(operation_id id, error_code result);
    /// Where the releases are that were waited for and that no server has answered.
    const auto& open_releases() const { return open_releases_; }
    /// Some of them are not waited for any more.
    bool has_left_releases() const;
    /// How many wait for a loss, or the risk of one.
    std::size_t awaited() { return waits_of(loss).size() + waits_of(risk_of_loss).size(); }
    auto take() { return std::exchange(waits_, {}); }

private:
    operation_table<>& waits_of(lock_operation what) {
        return waits_[static_cast<std::size_t>(what)];
    }
    void end_waits(protocol::ticket_id lock, error_code why);

    const explainer explain_;
    std::unordered_map<protocol::ticket_id, std::weak_ptr<ticket_lock>> held_;
    std::array<operation_table<>, 5> waits_; // by operation; each by lock
    std::map<protocol::ticket_id, std::shared_ptr<lock_record>> open_releases_;
    bool at_risk_ = false;
};

} // namespace turnstile::detail
