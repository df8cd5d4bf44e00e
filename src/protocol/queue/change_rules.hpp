// SPDX-License-Identifier: BSL-1.0
// The rules of a lock that is held and changes: from writer to reader, and from reader to writer.
// docs/internals/protocol/shared.md describes them.
#pragma once

#include "protocol/mutation.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/settings.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>

namespace turnstile::protocol {

/// One function for each rule. None of them changes anything.
class change_rules {
public:
    explicit change_rules(const settings& options) : planted_(options.planted) {}

    // From writer to reader

    /// A holder whose node is deleted while its downgrade is under way, by that or by another hand.
    bool doubts_its_downgrade(const ticket& who) const {
        return who.phase == ticket_phase::held && !planted_.is(mutant::downgrade_hides_deletion);
    }
    /// A writer with one handle becomes a reader: what others believe to hold to write must not.
    failure refusal_of_downgrade(const ticket& who) const {
        if (!who.exclusive() || who.is_downgrading())
            return failure::not_exclusive;
        if (!who.name.may_be_downgraded() && !planted_.is(mutant::names_do_not_forbid))
            return failure::names_forbid;
        return who.sharer_count() > 1 && !planted_.is(mutant::downgraded_beside_handles)
                   ? failure::not_alone
                   : failure::none;
    }
    /// A downgrade hands nothing over: nobody hears CHANGED.
    bool sets_before_downgrade() const { return planted_.is(mutant::downgrade_hands_over); }
    /// Where the answer is lost, both names are asked for.
    bool takes_unknown_for_downgraded(zookeeper_code answer) const {
        return outcome_unknown(answer) && planted_.is(mutant::downgrade_taken_for_done);
    }
    /// One that was in doubt when the connection ended may yet come late, where the writer's name
    /// stands anew: the reader's name is looked for once more.
    bool expects_late_downgrade(bool in_doubt) const {
        return in_doubt && !planted_.is(mutant::late_downgrade_left);
    }
    /// Where a writer has become a reader, readers pass, and a writer waits for it.
    bool passes_downgraded(const ticket& who) const {
        return !who.exclusive() || planted_.is(mutant::downgraded_lets_writer_in);
    }

    /// Its own readers behind it are in with it: no event will tell them.
    bool downgrade_lets_readers_in() const {
        return !planted_.is(mutant::own_readers_left_waiting);
    }

    // From reader to writer

    /// A reader alone on its ticket becomes a writer. Others that share it hold to read.
    failure refusal_of_upgrade(const ticket& who) const {
        if (who.exclusive())
            return failure::not_shared;
        if (who.name.naming != ticket_naming::lock && !planted_.is(mutant::names_do_not_forbid))
            return failure::names_forbid;
        return who.upgrade_caller() != 0 || !is_alone_on_ticket(who) ? failure::would_block
                                                                     : failure::none;
    }
    /// Asked once more when the answer comes: readers may have joined meanwhile.
    bool is_alone_on_ticket(const ticket& who) const {
        return who.sharer_count() < 2 || planted_.is(mutant::upgraded_beside_sharers);
    }
    /// Whether others stand there is asked before a ticket is made: it would stop readers that
    /// come meanwhile.
    bool asks_before_upgrade() const { return !planted_.is(mutant::upgrade_not_asked_for); }
    /// The reader's ticket is the one that is counted, and stands.
    bool checks_reader() const { return !planted_.is(mutant::upgrade_unchecked); }
    /// Nobody else may stand there: no reader holds, no writer is passed.
    bool stands_alone(std::int32_t children) const {
        return children == 1 || planted_.is(mutant::upgraded_beside_others);
    }
    /// Where the answer is lost it stays a reader.
    bool takes_unknown_for_upgraded() const { return planted_.is(mutant::upgrade_taken_for_done); }
    /// The ticket of an upgrade that failed is deleted.
    bool deletes_refused_writer() const { return !planted_.is(mutant::upgrade_leaves_writer); }
    /// A writer's token is that of its own ticket: other readers' may be above the first one's.
    bool upgrade_keeps_token() const { return planted_.is(mutant::upgraded_keeps_token); }
    /// The reader's ticket goes before the writer's does.
    bool deletes_reader() const { return !planted_.is(mutant::upgraded_leaves_reader); }

protected:
    [[no_unique_address]] mutation planted_;
};

} // namespace turnstile::protocol
