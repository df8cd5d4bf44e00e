// SPDX-License-Identifier: BSL-1.0
// The state that all parts of one session share.
#pragma once

#include "protocol/lease/lease.hpp"
#include "protocol/lease/lease_plan.hpp"
#include "protocol/listener.hpp"
#include "protocol/settings.hpp"
#include "protocol/time/backoff.hpp"
#include "protocol/time/timers.hpp"
#include "protocol/wire/budget.hpp"
#include "protocol/wire/port.hpp"
#include "protocol/wire/request_pipeline.hpp"
#include "protocol/wire/watch_table.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace turnstile::protocol {

/// The settings, the lease, the timers and the way to the server. session_machine owns it, and each
/// part has a reference to it. All of it is used on the session's strand.
struct session_context {
    session_context(settings the_options, random_source the_random, protocol::port& the_port,
                    listener& the_listener, lock_listener& the_lock_listener)
        : options(std::move(the_options)),
          random(std::move(the_random)),
          port(the_port),
          events(the_listener),
          lock_events(the_lock_listener),
          bytes(options.ticket_bytes),
          lease(options.tick),
          requests(the_port, lease, watches) {}
    session_context(const session_context&) = delete;
    session_context& operator=(const session_context&) = delete;

    instant now() const { return requests.now(); }
    /// A loss is reported this long before the deadline. The server may have granted a shorter
    /// timeout than was asked for.
    duration margin() const {
        const auto usual = lease_plan::usual_margin(lease.timeout());
        return lease_plan::margin(lease.timeout(), options.margin.value_or(usual));
    }
    /// The risk of a loss is reported this long before the deadline.
    duration risk_margin() const { return lease_plan::risk(lease.timeout(), margin()); }
    /// Whether enough of the lease is left to grant a lock: it must be possible to prove the lease
    /// anew in time, even if the server hangs before that. Else the lock would be lost for nothing.
    bool lease_is_fresh() const {
        const auto room = lease_plan::left_for_grant(lease.timeout(), margin());
        return lease.deadline() && lease.next_proof(now()) + margin() + room <= *lease.deadline();
    }
    /// Reports a new deadline to the listener. Called before each grant, and after each input.
    void tell_deadline() {
        const auto deadline = lease.deadline();
        if (deadline == told_deadline)
            return;
        told_deadline = deadline;
        const auto in_force = deadline.value_or(instant{} + margin());
        events.on_deadline({.deadline = in_force,
                            .loss_at = in_force - margin(),
                            .risk = in_force - risk_margin()});
    }
    /// A random delay: a session with many tickets must not ask for all at once.
    duration random_spread() {
        const auto most = static_cast<std::uint64_t>(lease_plan::spread(lease.timeout()).count());
        return duration{static_cast<duration::rep>(random() % (most + 1))};
    }
    /// Asks again T/8 after a refusal that may pass. A timer that runs already is not put off: one
    /// refusal after the other would put it off for ever (A3).
    void ask_later(timer& again, timers::callback ask) const {
        if (!again.pending())
            again.set(now() + lease_plan::asked_again(lease.timeout()), std::move(ask));
    }
    /// Whether a guarded write without an answer may still be carried out (W5).
    bool may_write_late() const { return open_writes > 0 || now() < late_writes_until; }
    /// The failure of an operation whose time limit is over.
    failure end_of_time() const {
        return requests.connected() ? failure::timeout : failure::unreachable;
    }
    /// Cuts the connection, once. The port reports its end.
    void drop_connection() {
        if (!std::exchange(dropping, true))
            port.drop();
    }

    const settings options;
    random_source random;
    protocol::port& port;
    listener& events;
    lock_listener& lock_events;
    budget bytes; // for the nodes of the session: the server names all of them when it ends
    protocol::lease lease;
    watch_table watches;
    request_pipeline requests;
    timers clock;
    timers limits; // the limits of holds, which are due before any input
    std::int64_t session_id = 0;
    std::set<ticket_id> held;             // each held lock: by its ticket, or by its first handle
    std::optional<instant> told_deadline; // the deadline that the listener knows
    std::size_t open_writes = 0;          // guarded writes on their way
    instant late_writes_until{}; // until then a guarded write without an answer may be carried out
    bool dropping = false;       // the port was asked to cut the connection
};

} // namespace turnstile::protocol
