// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/lease_watch.hpp"

#include <set>
#include <utility>

namespace turnstile::protocol {

bool lease_watch::is_due(duration ahead) const {
    return context_.lease.left(context_.now()) <= ahead;
}

void lease_watch::check() {
    if (context_.held.empty())
        return;
    if (is_due(context_.risk_margin()))
        tell_risk(true);
    if (is_due(context_.margin()))
        for (const auto id : std::set(context_.held))
            kinds_.lose(id);
}

void lease_watch::arm() {
    const auto deadline = context_.lease.deadline();
    if (context_.held.empty() || !deadline) {
        if (!context_.requests.connected())
            next_check_.cancel(); // it would keep the program alive after the session
        return tell_risk(false);
    }
    const bool at_risk = is_due(context_.risk_margin());
    tell_risk(at_risk);
    const auto due = *deadline - (at_risk ? context_.margin() : context_.risk_margin());
    // Each answer moves the deadline on. To set the timer anew each time would cost more than a
    // check that comes too early, and does no harm.
    if (const auto before = next_check_.due(); !before || *before > due)
        next_check_.set(due, [this] { check(); });
}

void lease_watch::tell_risk(bool at_risk) {
    if (std::exchange(told_risk_, at_risk) != at_risk)
        context_.events.on_risk(at_risk);
}

} // namespace turnstile::protocol
