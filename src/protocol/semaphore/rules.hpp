// SPDX-License-Identifier: BSL-1.0
// The rules of a semaphore. A test build can break one of them, to show that a test finds it.
// docs/internals/protocol/semaphore.md describes them.
#pragma once

#include "protocol/mutation.hpp"
#include "protocol/names/semaphore_names.hpp"
#include "protocol/semaphore/semaphore_nodes.hpp"
#include "protocol/settings.hpp"

#include <cstdint>
#include <optional>

namespace turnstile::protocol {

/// One function for each rule. None of them changes anything.
class semaphore_rules {
public:
    semaphore_rules(mutation planted = {}) : planted_(planted) {}
    explicit semaphore_rules(const settings& options) : planted_(options.planted) {}

    // The limit

    /// Each transaction that takes leases checks that the limit is the one that was read.
    std::int32_t version_to_check(std::int32_t version) const {
        return planted_.is(mutant::limit_unchecked) ? -1 : version;
    }
    /// A change is one of what was read: another's change in between is seen.
    std::int32_t version_to_change(std::int32_t version) const {
        return planted_.is(mutant::limit_set_unchecked) ? -1 : version;
    }
    /// A limit that was read in another incarnation of the semaphore says nothing of this one.
    bool is_of_limit(std::int64_t leases, std::int64_t limit) const {
        return leases == limit || planted_.is(mutant::other_incarnation_trusted);
    }
    /// Whoever asks for the semaphore in one incarnation takes leases in no other. 0: in any.
    bool is_renewed(std::int64_t wanted, std::int64_t found) const {
        return wanted != 0 && wanted != found && !planted_.is(mutant::newer_semaphore_ignored);
    }
    /// Nobody is refused by a limit that was read before it asked.
    bool may_refuse(bool read_since) const {
        return read_since || planted_.is(mutant::refused_from_memory);
    }
    /// Nor by one that the server may have read before it knew of a change.
    bool proves_refusals() const { return !planted_.is(mutant::refused_by_old_read); }
    /// Whoever stands in line is told when the limit changes.
    bool watches_limit() const { return !planted_.is(mutant::limit_not_watched); }
    /// Nobody waits for more than there can be.
    bool is_too_many(std::uint32_t wished, std::uint32_t limit) const {
        return wished > limit && !planted_.is(mutant::too_many_wait);
    }

    /// Whoever states a limit gets leases of a semaphore that has this limit.
    bool is_another_limit(const std::optional<std::uint32_t>& stated, std::uint32_t limit) const {
        return stated && *stated != limit && !planted_.is(mutant::stated_limit_ignored);
    }

    // The nodes

    /// A semaphore is made neither beside a lock of another kind, nor below one.
    failure obstacle(const semaphore_nodes& there) const {
        return planted_.is(mutant::made_beside_tickets) ? failure::none : there.obstacle();
    }
    /// What was searched for others, who wait no more, counts for nobody.
    bool keeps_count_of_searches(bool anybody_waits) const {
        return anybody_waits || planted_.is(mutant::searches_add_up);
    }

    // Free leases

    /// Nobody passes those that stand in line.
    bool may_pass_line(std::int32_t standing) const {
        return standing == 0 || planted_.is(mutant::line_passed);
    }
    bool fits(std::int64_t taken, std::uint32_t wished, std::uint32_t limit) const {
        return taken + wished <= limit || planted_.is(mutant::leases_not_counted);
    }
    /// What was found after a lost answer is held if it was taken in line, and never if it was
    /// tried: nobody knows whether there was room then.
    bool adopts(bool tried) const {
        return tried ? planted_.is(mutant::tried_lease_adopted)
                     : !planted_.is(mutant::taken_lease_not_found);
    }

    /// Leases for which there was no room are deleted.
    bool gives_back_refused() const { return !planted_.is(mutant::refused_leases_kept); }

    // First in line

    /// Leases that were tried before its first look count: they may have been granted. Those that
    /// come later were made while it stood in line, so none of them was.
    bool counts(const lease_name& lease, std::int32_t bound) const {
        if (!lease.tried || planted_.is(mutant::every_tried_lease_counts))
            return true;
        return lease.sequence < bound && !planted_.is(mutant::tried_not_counted);
    }
    /// Whoever is first watches the leases.
    bool watches_leases() const { return !planted_.is(mutant::leases_not_watched); }
    /// Whoever tries as the first in line must still stand there: else the next one does not count
    /// what it gets.
    bool tries_with_ticket() const { return !planted_.is(mutant::tried_without_ticket); }
    /// Leases are taken together with the ticket's end: without the ticket nobody takes.
    bool takes_with_ticket() const { return !planted_.is(mutant::taken_without_ticket); }

    // The end

    /// A lease that belongs to no acquire is deleted.
    bool deletes_unknown() const { return !planted_.is(mutant::unknown_lease_kept); }
    /// A transaction whose answer was lost may be carried out late: the leases are listed again.
    bool looks_again() const { return !planted_.is(mutant::late_lease_not_looked_for); }
    /// With one lease the whole acquire is lost.
    bool loses_with_one() const { return !planted_.is(mutant::lost_lease_ignored); }

private:
    [[no_unique_address]] mutation planted_;
};

} // namespace turnstile::protocol
