// SPDX-License-Identifier: BSL-1.0
// One fault in a request or reply, and what follows it: the same session again, or its end.
#pragma once

#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

namespace turnstile::test {

inline constexpr std::array request_faults{action::cut_before, action::cut_after,
                                           action::cut_within};

/// One session through a proxy that does harm, on a server that others reach directly.
struct outage_rig {
    outage_rig() { connect(f, s); }

    /// Runs until the rule was carried out, and lets the library through again, to the server where
    /// its session may have ended.
    void pass_through(rule_id rule, bool session_ends = false) {
        f.run_until([&] { return proxy.hits(rule) > 0; });
        if (session_ends)
            expire(seen, shared_server().address(), s);
        proxy.clear_rules();
        proxy.set_outage(false);
    }

    /// The rule will end the connection: later ones are refused until pass_through().
    rule_id prepare(proxy_rule rule) {
        const auto id = proxy.add_rule(std::move(rule));
        proxy.set_outage(true);
        return id;
    }

    session_book seen;
    frame_proxy proxy{"127.0.0.1", shared_server().port(), &seen};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
};

inline const char* to_text(action what) {
    switch (what) {
    case action::cut_before:
        return "cut before the server saw it";
    case action::cut_after:
        return "executed, and the reply lost";
    case action::cut_within:
        return "half a frame";
    default:
        return "another fault";
    }
}

} // namespace turnstile::test
