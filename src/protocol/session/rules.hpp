// SPDX-License-Identifier: BSL-1.0
// The rules of a session. A test build can break one of them, to show that a test finds it.
// docs/internals/protocol describes them: connection.md and lease.md.
#pragma once

#include "protocol/lease/lease_plan.hpp"
#include "protocol/mutation.hpp"
#include "protocol/settings.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/port.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>

namespace turnstile::protocol {

class session_rules {
public:
    explicit session_rules(const settings& options) : planted_(options.planted) {}

    // Connections.

    /// One connection at a time: the end of the one before comes first.
    bool awaits_end(bool in_port) const {
        return in_port && !planted_.is(mutant::attempts_overlap);
    }

    /// A session that was made stays, though the server has answered nothing yet.
    bool is_made(std::int64_t session_id) const {
        return session_id != 0 && !planted_.is(mutant::gives_up_unanswered);
    }

    /// An acquire has a limit of its own: that of connect() does not end it.
    bool acquires_outlive_connect() const {
        return !planted_.is(mutant::connect_limit_ends_acquires);
    }

    /// Another session's id says that the session before is over, even where nobody told its end.
    bool ends_session(std::int64_t before, std::int64_t now) const {
        return before != 0 && now != before && !planted_.is(mutant::changed_session_kept);
    }

    /// A session that is not restored is over once no sign of life of it is newer than 4T/3.
    bool is_forgotten(disconnect_reason why, duration silence, duration timeout) const {
        return why == disconnect_reason::not_restored &&
               silence >= lease_plan::forgotten(timeout) &&
               !planted_.is(mutant::forgotten_session_kept);
    }

    /// A watch ends with its connection.
    bool watches_end_with_connection() const {
        return !planted_.is(mutant::watches_survive_connection);
    }

    /// Nothing but tickets is below a lock path: no other lock is above or below it.
    bool refuses_nested(bool nested) const {
        return nested && !planted_.is(mutant::nested_path_acquired);
    }

    /// From the moment of its close a session holds nothing, and nobody waits for anything of it.
    bool close_ends_locks() const { return !planted_.is(mutant::close_keeps_locks); }

    // Beats.

    /// The first beat on a connection is a write like all others: it is the barrier.
    bool beat_writes(bool barrier) const { return !barrier || !planted_.is(mutant::no_barrier); }

    /// A barrier holds only where its answer proves that the server processed it.
    bool barrier_holds(zookeeper_code code) const {
        return answered(code) || planted_.is(mutant::throttled_barrier_counts);
    }

    /// A beat that does not find its ticket says that another hand has deleted it.
    bool shows_deletion(zookeeper_code code) const {
        return code == zookeeper_code::no_node && !planted_.is(mutant::no_own_watch_nor_check);
    }

    /// Only a session that holds nothing has the time to wait for a server that hangs.
    bool has_patience(bool holds_something) const {
        return !holds_something || planted_.is(mutant::holder_waits_for_beats);
    }

    /// A server is left where the next proof would come after the loss has been told.
    bool comes_too_late(instant proof, instant loss_told) const {
        return proof > loss_told && !planted_.is(mutant::slow_server_kept);
    }

    /// A holder with little left beats at once.
    bool hurries(duration left, duration little) const {
        return left < little && !planted_.is(mutant::beats_not_hurried);
    }

    // What is told.

    /// Whoever holds a lock is told each time that the risk of a loss comes or goes.
    bool tells_risk(bool was_at_risk, bool at_risk) const {
        return was_at_risk != at_risk && !planted_.is(mutant::risk_not_told);
    }

private:
    [[no_unique_address]] mutation planted_;
};

} // namespace turnstile::protocol
