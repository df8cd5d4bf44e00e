// SPDX-License-Identifier: BSL-1.0
// The rules of the lease. A test build can break one of them, to show that a test finds it.
// docs/internals/protocol/lease.md describes them.
#pragma once

#include "protocol/mutation.hpp"
#include "protocol/settings.hpp"
#include "protocol/time/instant.hpp"

#include <optional>

namespace turnstile::protocol {

class lease_rules {
public:
    constexpr lease_rules(mutation planted = {}) : planted_(planted) {}
    explicit lease_rules(const settings& options) : planted_(options.planted) {}

    /// A handshake alone proves nothing: a server shakes hands without its majority.
    std::optional<instant> proved_by_handshake(instant began) const {
        return planted_.is(mutant::handshake_proves_lease) ? std::optional{began} : std::nullopt;
    }

    /// One answer proves nothing: it takes two writes, and then the instant of sending counts.
    std::optional<instant> proved_by_answer(instant sent, instant now, bool write) const {
        if (planted_.is(mutant::deadline_from_receive_time))
            return now;
        if (planted_.is(mutant::deadline_from_reads) ||
            (planted_.is(mutant::deadline_from_one_write) && write))
            return sent;
        return std::nullopt;
    }

    /// What was answered on one connection proves nothing on another.
    bool proofs_end_with_connection() const {
        return !planted_.is(mutant::proofs_survive_connection);
    }

    /// A proof that gains next to nothing is none: the next one would have to follow at once.
    duration least_worth(duration planned) const {
        return planted_.is(mutant::moments_count_as_proof) ? duration{1} : planned;
    }

    /// A loss is told before the deadline, never after it.
    duration loss_margin(duration margin) const {
        return planted_.is(mutant::loss_told_late) ? -margin : margin;
    }

    /// A grant leaves room to prove the lease anew, even if the server hangs.
    duration room(duration planned) const {
        return planted_.is(mutant::grant_without_room) ? duration::zero() : planned;
    }

    /// A beat is a write, which a sync is not, unless the session was asked to be light.
    bool beats_are_syncs(bool light) const { return light || planted_.is(mutant::beats_with_sync); }

private:
    [[no_unique_address]] mutation planted_;
};

} // namespace turnstile::protocol
