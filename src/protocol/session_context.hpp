// SPDX-License-Identifier: BSL-1.0
// What the parts of one session share.
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

struct session_context {
    session_context(settings the_options, random_source the_random, protocol::port& the_port,
                    listener& the_listener)
        : options(std::move(the_options)),
          random(std::move(the_random)),
          port(the_port),
          events(the_listener),
          bytes(options.ticket_bytes),
          lease(options.tick),
          requests(the_port, lease, watches, options.light) {}
    session_context(const session_context&) = delete;
    session_context& operator=(const session_context&) = delete;

    instant now() const { return requests.now(); }
    /// By how much `lost` precedes the deadline. The server may have granted less than was asked.
    duration margin() const {
        const auto usual = lease_plan::usual_margin(lease.timeout());
        return lease_plan::margin(lease.timeout(), options.margin.value_or(usual));
    }
    /// With so much left, a loss is near.
    duration risk_margin() const { return lease_plan::risk(lease.timeout(), margin()); }
    /// Enough of the lease is left to hand a lock out, and to prove it anew in time even if the
    /// server hangs before the proof is made: it would be lost for nothing otherwise.
    bool lease_is_fresh() const {
        const auto room = lease_plan::room(lease.timeout(), margin());
        return lease.deadline() && lease.next_proof(now()) + margin() + room <= *lease.deadline();
    }
    /// Until then what was lost keeps its place: that time is its holder's, to stop.
    instant end_of_place(failure why_lost) const {
        return why_lost == failure::held_too_long ? now() + margin()
                                                  : lease.deadline().value_or(now());
    }
    /// Before a lock is granted, and after each input: each holder finds its deadline.
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
    /// A session with many tickets must not ask for all at once.
    duration random_spread() {
        const auto most = static_cast<std::uint64_t>(lease_plan::spread(lease.timeout()).count());
        return duration{static_cast<duration::rep>(random() % (most + 1))};
    }
    /// Why an operation fails whose time is over.
    failure end_of_time() const {
        return requests.connected() ? failure::timeout : failure::unreachable;
    }
    /// Cuts the connection, once; the port reports its end.
    void drop_connection() {
        if (!std::exchange(dropping, true))
            port.drop();
    }
    /// After a write that did not prove enough to grant: a session that beat with reads proves it
    /// by one more. Else the connection is cut, since a handshake and one write on another prove a
    /// whole T. On the way there nothing is proved, so a holder may lose what it has. Where that is
    /// too near, it asks once more on this connection.
    template <class AskAgain>
    void prove_anew(zookeeper_code code, AskAgain ask_again) {
        if (answered(code) &&
            lease.left_by_next_write(now()) >= lease_plan::worth_a_write(lease.timeout()))
            return ask_again();
        const auto until_loss = lease.left(now()) - margin();
        if (!held.empty() && until_loss <= lease_plan::way_back(lease.timeout()))
            return ask_again();
        drop_connection();
    }

    const settings options;
    random_source random;
    protocol::port& port;
    listener& events;
    budget bytes;
    protocol::lease lease;
    watch_table watches;
    request_pipeline requests;
    timers clock;
    timers limits; // of holds: due before any input
    std::int64_t session_id = 0;
    std::set<ticket_id> held;
    std::optional<instant> told_deadline;
    bool dropping = false; // the end of the connection was asked for
};

} // namespace turnstile::protocol
