// SPDX-License-Identifier: BSL-1.0
// The grant of one lock and its end: it is proved, then granted, then released or lost.
#pragma once

#include "protocol/session_context.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// What the owner of a lock does next on the way to its grant.
enum class grant_step : std::uint8_t {
    grant,   // all is proved
    check,   // sends a check of the nodes; after_check() takes the answer
    restart, // a node is gone: begins anew without it
    wait     // begins anew on the next connection
};

/// Proves one lock, grants it, and reports its loss. Its owner is a ticket, a single_node, or the
/// permits of one acquire. The owner knows the nodes, sends the requests, and says which handles
/// hold the lock.
///
/// before_grant() and after_check() come first, until one of them says `grant`. The owner then
/// calls grant(). When the lease or the limit ends, the owner calls lose(). It calls end() when the
/// lock is released, or its nodes are gone. After end() the object may be used for another hold.
/// (Rules: docs/internals/protocol/lease.md)
class hold {
public:
    explicit hold(session_context& shared) : context_(shared), end_of_place_(shared.clock) {}

    /// Limits how long the lock is held, from the grant on. At the limit it is lost.
    void limit_to(duration longest) { limit_ = std::make_unique<limit>(context_, longest); }
    bool has_limit() const { return limit_ != nullptr; }
    /// Why the lock was lost; `none`: it is not lost.
    failure why_lost() const { return why_lost_; }
    bool is_lost() const { return why_lost_ != failure::none; }

    /// Called once no other holds the lock. It is granted if the lease is fresh, and an answer on
    /// this connection has shown the nodes (`is_shown`, G1). An answer on an earlier connection is
    /// not enough: another program may have deleted the nodes since.
    grant_step before_grant(bool is_shown) const {
        if (is_shown && context_.lease_is_fresh())
            return grant_step::grant;
        return context_.requests.connected() ? grant_step::check : grant_step::wait;
    }
    /// The check was answered. It proves the lease, or shows that a node is gone. If it has proved
    /// too little for a grant, one more check may prove enough (G3). If not, this ends the
    /// connection.
    grant_step after_check(const reply& answer) const {
        if (outcome_unknown(answer.code))
            return grant_step::wait;
        if (answer.code == zookeeper_code::no_node)
            return grant_step::restart;
        if (answered(answer.code) && context_.lease_is_fresh())
            return grant_step::grant;
        if (is_worth_a_write(answer.code))
            return grant_step::check;
        context_.drop_connection();
        return grant_step::wait;
    }

    /// Grants the lock to all its handles. session_context::held knows the lock by `first`: the
    /// ticket's id, or the id of the first handle. `handles` is called now, and again when the
    /// limit is near: further handles may have come. `at_limit` has to call lose().
    template <class Handles>
    void grant(ticket_id first, std::int64_t token, Handles handles, timer::callback at_limit) {
        context_.held.insert(first);
        context_.tell_deadline();
        for (const auto each : handles())
            context_.lock_events.on_granted(each, token);
        if (!limit_)
            return;
        const auto end = context_.now() + limit_->longest;
        // The warning comes as long before the limit as it would come before the end of the lease.
        const auto warning_lead = context_.risk_margin() - context_.margin();
        limit_->next.set(end - warning_lead, [this, end, handles, at_limit = std::move(at_limit)] {
            limit_->next.set(end, at_limit);
            for (const auto each : handles())
                context_.lock_events.on_limit_near(each);
        });
    }
    /// Reports to all handles that the lock is lost. `first` is the id in session_context::held.
    /// The nodes stay for a while, in which the holder has to stop. After that this calls
    /// `end_of_place`, unless end() comes first (L8).
    void lose(ticket_id first, const std::vector<ticket_id>& handles, failure why,
              timer::callback end_of_place) {
        context_.held.erase(first);
        why_lost_ = why;
        limit_.reset();
        const bool by_limit = why == failure::held_too_long;
        end_of_place_.set(by_limit ? context_.now() + context_.margin()
                                   : context_.lease.deadline().value_or(context_.now()),
                          std::move(end_of_place));
        for (const auto each : handles)
            context_.lock_events.on_lost(each, why);
    }
    /// The lock is released, or its nodes are gone.
    void end() {
        why_lost_ = failure::none;
        limit_.reset();
        end_of_place_.cancel();
    }

private:
    struct limit {
        limit(session_context& shared, duration most) : longest(most), next(shared.limits) {}

        const duration longest;
        timer next; // the warning, and then the loss
    };

    /// Whether one more write on this connection proves enough for a grant (G3). If not, it is
    /// better to leave: on the next connection the handshake and one write prove a whole T (G4).
    /// But nothing is proved until then. If a held lock would be lost meanwhile, the write is sent
    /// on this connection.
    bool is_worth_a_write(zookeeper_code code) const {
        const auto timeout = context_.lease.timeout();
        const auto by_write = context_.lease.left_by_next_write(context_.now());
        if (answered(code) && by_write >= lease_plan::worth_a_write(timeout))
            return true;
        const auto until_loss = context_.lease.left(context_.now()) - context_.margin();
        return !context_.held.empty() && until_loss <= lease_plan::way_back(timeout);
    }

    session_context& context_;
    timer end_of_place_;
    std::unique_ptr<limit> limit_{}; // null: the hold has no limit
    failure why_lost_ = failure::none;
};

} // namespace turnstile::protocol
