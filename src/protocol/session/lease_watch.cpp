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
        if (!context_.requests.connected()) // it would keep the program alive after the session
            next_.cancel();
        return tell_risk(false);
    }
    const bool at_risk = is_due(context_.risk_margin());
    tell_risk(at_risk);
    const auto due = *deadline - (at_risk ? context_.margin() : context_.risk_margin());
    // An answer moves the deadline, and a release ends the need to look: an early look is harmless,
    // and cheaper than to set the timer anew each time.
    if (const auto before = next_.due(); !before || *before > due)
        next_.set(due, [this] { check(); });
}

void lease_watch::tell_risk(bool at_risk) {
    if (std::exchange(at_risk_, at_risk) != at_risk)
        context_.events.on_risk(at_risk);
}

} // namespace turnstile::protocol
