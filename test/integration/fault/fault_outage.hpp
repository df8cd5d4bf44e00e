// One fault in a request or reply, and what follows it: the same session again, or its end.
#pragma once

#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"

#include <array>
#include <string>

namespace turnstile::test {

enum class aftermath {
    reconnect, ///< to the same server, in the same session
    expiry     ///< the session ends before the library gets through again
};

inline constexpr std::array request_faults{action::cut_before, action::cut_after,
                                           action::cut_within};
inline constexpr std::array aftermaths{aftermath::reconnect, aftermath::expiry};

/// One session through a proxy that does harm, on a server that others reach directly.
struct outage_rig {
    outage_rig() : proxy(tap.port()), s(f.context, impatient(proxy.address())) { connect(f, s); }

    /// Runs until the rule was carried out, lets happen what follows, and lets the library through
    /// again.
    void pass_through(rule_id rule, aftermath what) {
        f.run_until([&] { return proxy.hits(rule) > 0; });
        if (what == aftermath::expiry)
            expire(tap, shared_server().address(), s);
        proxy.clear_rules();
        proxy.set_outage(false);
    }

    /// The rule will end the connection: later ones are refused until pass_through().
    rule_id prepare(proxy_rule rule) {
        const auto id = proxy.add_rule(std::move(rule));
        proxy.set_outage(true);
        return id;
    }

    session_tap tap{shared_server().port()};
    frame_proxy proxy;
    onlooker eyes{shared_server().address()};
    fixture f;
    session s;
};

/// The next enqueue on a path: one transaction, whose first part is the lock path. (So are beats of
/// a session that has no ticket there yet, and all transactions on its tickets: be first.)
inline proxy_rule next_enqueue(const std::string& path, action fault) {
    return {.op = op::multi, .path = path, .action = fault};
}
/// Its reply, after it was carried out.
inline proxy_rule next_enqueued(const std::string& path, action fault) {
    return {.direction = direction::to_client, .op = op::multi, .path = path, .action = fault};
}

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

inline const char* to_text(aftermath what) {
    return what == aftermath::expiry ? "the session expires" : "reconnect";
}

} // namespace turnstile::test
