// SPDX-License-Identifier: BSL-1.0
// The rules of a semaphore. docs/internals/protocol/semaphore.md describes them.
#pragma once

#include "protocol/names/semaphore_names.hpp"
#include "protocol/semaphore/semaphore_nodes.hpp"

#include <cstdint>
#include <optional>

namespace turnstile::protocol {

/// One function for each rule. None of them changes anything.
struct semaphore_rules {
    // The limit

    /// Each transaction that takes leases checks that the limit is the one that was read.
    static std::int32_t version_to_check(std::int32_t version) { return version; }
    /// A limit that was read in another incarnation of the semaphore says nothing of this one.
    static bool is_of_limit(std::int64_t leases, std::int64_t limit) { return leases == limit; }
    /// Whoever asks for the semaphore in one incarnation takes leases in no other. 0: in any.
    static bool is_renewed(std::int64_t wanted, std::int64_t found) {
        return wanted != 0 && wanted != found;
    }
    /// Nobody is refused by a limit that was read before it asked.
    static bool may_refuse(bool read_since) { return read_since; }
    /// Nor by one that the server may have read before it knew of a change.
    static bool proves_refusals() { return true; }
    /// Whoever stands in line is told when the limit changes.
    static bool watches_limit() { return true; }
    /// Nobody waits for more than there can be.
    static bool is_too_many(std::uint32_t wished, std::uint32_t limit) { return wished > limit; }

    /// Whoever states a limit gets leases of a semaphore that has this limit.
    static bool is_another_limit(const std::optional<std::uint32_t>& stated, std::uint32_t limit) {
        return stated && *stated != limit;
    }

    // The nodes

    /// A semaphore is made neither beside a lock of another kind, nor below one.
    static failure obstacle(const semaphore_nodes& there) { return there.obstacle(); }
    /// What was searched for others, who wait no more, counts for nobody.
    static bool keeps_count_of_searches(bool anybody_waits) { return anybody_waits; }

    // Free leases

    /// Nobody passes those that stand in line.
    static bool may_pass_line(std::int32_t standing) { return standing == 0; }
    static bool fits(std::int64_t taken, std::uint32_t wished, std::uint32_t limit) {
        return taken + wished <= limit;
    }
    /// What was found after a lost answer is held if it was taken in line, and never if it was
    /// tried: nobody knows whether there was room then.
    static bool adopts(bool tried) { return !tried; }

    /// Leases for which there was no room are deleted.
    static bool gives_back_refused() { return true; }

    // First in line

    /// Leases that were tried before its first look count: they may have been granted. Those that
    /// come later were made while it stood in line, so none of them was.
    static bool counts(const lease_name& lease, std::int32_t bound) {
        return !lease.tried || lease.sequence < bound;
    }
    /// Whoever is first watches the leases.
    static bool watches_leases() { return true; }
    /// Whoever tries as the first in line must still stand there: else the next one does not count
    /// what it gets.
    static bool tries_with_ticket() { return true; }
    /// Leases are taken together with the ticket's end: without the ticket nobody takes.
    static bool takes_with_ticket() { return true; }

    // The end

    /// A lease that belongs to no acquire is deleted.
    static bool deletes_unknown() { return true; }
    /// A transaction whose answer was lost may be carried out late: the leases are listed again.
    static bool looks_again() { return true; }
    /// With one lease the whole acquire is lost.
    static bool loses_with_one() { return true; }
};

} // namespace turnstile::protocol
