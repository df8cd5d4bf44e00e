// SPDX-License-Identifier: BSL-1.0
// The rules of the queue: each decision that the tests break on purpose, to see whether they find
// it. They are described in docs/internals/protocol: queue.md, shared.md and recovery.md.
#pragma once

#include "protocol/mutation.hpp"
#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_data.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/change_rules.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace turnstile::protocol {

/// One function for each rule. None of them changes anything. Without planted bugs each is the
/// plain rule, and an object of this class is empty.
class queue_rules : public change_rules {
public:
    using change_rules::change_rules;

    // Enqueue

    /// The limit of an acquire ends with the grant: a lock that is held is not timed out.
    bool limit_ends_with_grant() const { return !planted_.is(mutant::limit_survives_grant); }

    /// A ticket's name tells the incarnation of its lock path.
    std::int64_t incarnation_in_name(std::int64_t incarnation) const {
        return planted_.is(mutant::names_without_incarnation) ? 1 : incarnation;
    }
    /// A ticket whose name tells another incarnation than the path has may not stay.
    bool fits_path(const ticket_name& name, std::int64_t incarnation) const {
        return name.incarnation == incarnation || planted_.is(mutant::names_without_incarnation);
    }
    /// Whoever asks for the lock path in one incarnation stands in no other. 0: in any.
    bool is_renewed(std::int64_t wanted, std::int64_t found) const {
        return wanted != 0 && wanted != found && !planted_.is(mutant::newer_path_ignored);
    }
    /// Of tickets made in one transaction none stays behind one that waits.
    bool keeps_next(bool owner) const {
        return owner || planted_.is(mutant::company_kept_behind_waiter);
    }
    /// Whoever holds other parts of a `multi_lock` does not wait for the bytes of its session:
    /// those who have them may wait for these parts.
    bool may_wait_for_room(bool later_part) const {
        return !later_part || planted_.is(mutant::later_part_waits_for_room);
    }
    /// A create whose outcome is unknown is not repeated before its node was looked for.
    ticket_step step_of_unknown_create() const {
        return planted_.is(mutant::unknown_create_repeated) ? ticket_step::was_refused
                                                            : ticket_step::lost_answer;
    }
    /// Only so many are under way at once.
    bool may_enqueue(std::size_t under_way, std::size_t most) const {
        return under_way < most || planted_.is(mutant::enqueues_all_at_once);
    }
    /// A lock path that went away is made again.
    bool makes_path_again(zookeeper_code enqueued) const {
        return enqueued == zookeeper_code::no_node &&
               !planted_.is(mutant::directory_not_made_again);
    }
    /// Only who found nobody under the path when it came is the first without a search.
    bool came_alone(std::int32_t children) const {
        return children == 0 || planted_.is(mutant::line_not_looked_at);
    }
    /// A ticket that appears after its caller has gone is deleted.
    bool deletes_late_ticket() const {
        return !planted_.is(mutant::cancel_in_flight_leaves_ticket);
    }
    /// Another program made a node of a name that was ours, later. 0: ours is not known yet.
    static bool is_another_node(std::int64_t ours, std::int64_t seen) {
        return ours != 0 && seen > ours;
    }
    /// Whoever gives up deletes its ticket.
    bool deletes_cancelled_ticket(failure why) const {
        return !planted_.is(mutant::cancel_leaves_ticket) &&
               !(planted_.is(mutant::try_leaves_ticket) && why == failure::would_block);
    }

    /// A ticket that was made in one transaction with others is not made a second time.
    bool makes_again(bool in_company) const {
        return !in_company || planted_.is(mutant::company_made_again);
    }

    // Predecessor

    /// A ticket that is leaving is nobody's neighbour.
    bool leaving_is_neighbour() const { return planted_.is(mutant::leaving_ticket_is_neighbour); }
    /// Whoever may wait sets a watch with its search.
    bool search_sets_watch(bool patient) const {
        return patient && !planted_.is(mutant::looks_without_watch);
    }
    /// That the next node is missing says nothing about those before it.
    bool missing_node_hands_over() const {
        return planted_.is(mutant::grant_when_neighbour_is_missing);
    }
    /// Right behind a reader that says that no writer stands below it, a reader is an owner. Only
    /// where nobody else can set the node is the mark believed.
    bool follows_clear_reader(const reply& read, bool guarded) const {
        return (guarded || planted_.is(mutant::mark_of_open_ticket_believed)) &&
               read.code == zookeeper_code::ok && read.stat.ephemeral_owner != 0 &&
               (is_marked_clear(read.data) || planted_.is(mutant::unmarked_reader_trusted));
    }
    /// A reader says so once it is granted, never before.
    bool marks_while_waiting() const { return planted_.is(mutant::marked_clear_while_waiting); }
    /// Of two that stand before a ticket the one with the higher number is nearer.
    bool is_nearer(const std::string& name, std::int32_t sequence, const std::string& other,
                   std::int32_t other_sequence) const {
        return planted_.is(mutant::string_order) ? name > other : sequence > other_sequence;
    }
    /// A ticket is known by its whole name: another program's node may have its number.
    bool is_itself(const std::string& child, const std::string& own_name) const {
        return planted_.is(mutant::known_by_number)
                   ? child.ends_with(own_name.substr(own_name.rfind('-')))
                   : child == own_name;
    }
    /// A ticket that a listing does not show is deleted.
    bool is_gone_from_listing(bool listed) const {
        return !listed && !planted_.is(mutant::own_name_not_looked_for);
    }
    /// A lock of another kind is there: nobody stands in line beside it.
    bool is_other_kind(const std::string& child) const {
        return (child == holder_name || is_of_semaphore(child)) &&
               !planted_.is(mutant::holder_beside_tickets);
    }
    /// Those who stand there by other names do not see whoever stands there by these.
    bool is_other_naming(ticket_naming other, ticket_naming own) const {
        return other != own && !planted_.is(mutant::other_naming_ignored);
    }
    /// Where the servers have lost transactions, nothing that was known of lower numbers holds.
    bool forgets_numbers(bool gone_back) const {
        return gone_back && !planted_.is(mutant::numbers_remembered);
    }
    /// Whoever waits for another's ticket watches its own from the start.
    bool watches_itself_from_the_start() const { return !planted_.is(mutant::watches_itself_late); }
    /// A holder hands over to its own session's next ticket only where that ticket still stands.
    bool checks_local_successor() const { return !planted_.is(mutant::local_successor_unchecked); }
    /// A beat checks what a waiting ticket waits for: its event may be lost.
    bool checks_predecessors() const { return !planted_.is(mutant::predecessor_not_checked); }
    /// What is watched without a ticket is read again now and then, for the same reason.
    bool reads_watched_again() const { return !planted_.is(mutant::watched_not_read_again); }
    /// An event of a ticket's own node is looked at.
    bool heeds_own_watch() const { return !planted_.is(mutant::no_own_watch_nor_check); }
    /// CHANGED hands the lock over where it is trusted; no other event does.
    bool hands_over(watch_event event, bool trusted) const {
        if (event == watch_event::changed)
            return trusted || planted_.is(mutant::changed_trusted_everywhere);
        return event == watch_event::deleted && planted_.is(mutant::deleted_means_granted);
    }
    /// A watch that fired is gone.
    bool keeps_fired_watch() const { return planted_.is(mutant::fired_watch_inherited); }

    // Grant and loss

    /// A lock is granted on a fresh lease, to a ticket that this connection has shown.
    bool may_grant(bool lease_is_fresh, bool unseen) const {
        return (lease_is_fresh || planted_.is(mutant::grant_on_stale_lease)) &&
               (!unseen || planted_.is(mutant::grant_unseen));
    }
    /// What is held, and would be told as lost after so long, is not put at risk for a grant.
    bool reconnects_to_grant(duration until_loss, duration way_back) const {
        return until_loss > way_back || planted_.is(mutant::held_risked_for_grant);
    }
    /// The limit of an acquire ends with its grant.
    bool grant_ends_limit() const { return !planted_.is(mutant::limit_survives_grant); }
    /// The token is the ticket's czxid, which grows over all incarnations of the path.
    std::int64_t token_of(const ticket& who) const {
        return planted_.is(mutant::token_is_sequence) ? who.name.sequence : who.czxid;
    }
    /// A lost ticket keeps its place until the deadline.
    instant end_of_place(instant now, instant deadline) const {
        return planted_.is(mutant::gives_up_place_when_told) ? now : deadline;
    }
    /// What is held when the session ends is told to be lost.
    bool tells_loss_of_session() const { return !planted_.is(mutant::loss_not_told_on_expiry); }
    /// With the session end the tickets that only their nodes kept; the others enqueue again.
    bool ends_with_session(const ticket& who) const {
        return who.abandoned || who.phase == ticket_phase::lost ||
               planted_.is(mutant::expired_waiters_forgotten);
    }

    /// One more reader shares the last ticket of its session: one that is held, or that it may wait
    /// by. So many in all, lest those of other sessions that wait behind it wait for ever.
    bool may_share(const ticket& last, std::size_t most_joins, bool patient,
                   bool lease_is_fresh) const {
        if (last.exclusive() || last.phase == ticket_phase::lost)
            return false;
        if (last.joins >= most_joins && !planted_.is(mutant::readers_join_for_ever))
            return false;
        if (last.name.downgraded && last.phase == ticket_phase::held)
            return false; // its token is a writer's, and that of its node is above those in line
        if (last.phase == ticket_phase::held)
            return may_grant(lease_is_fresh, last.unseen);
        return patient && last.patient;
    }

    /// A writer of the session that whoever joins this ticket would pass. It waits behind the
    /// ticket, or its node is still to be asked for, as after a cut that left its create unknown.
    bool is_passed(const ticket& writer, const ticket& joined) const {
        const bool waits =
            writer.exclusive() && !writer.abandoned && writer.phase < ticket_phase::held;
        if (!waits || planted_.is(mutant::own_writer_passed))
            return false;
        if (joined.has_node())
            return !writer.has_node() || joined.name.sequence < writer.name.sequence;
        return joined.phase == ticket_phase::creating && writer.phase != ticket_phase::creating &&
               !writer.has_node();
    }

    // Release, and what a ticket leaves to its neighbours

    /// What several hold by one ticket is released with the last of them.
    bool stays_for_other_holders() const { return !planted_.is(mutant::first_handle_releases); }
    /// A release tells with CHANGED that all before it are gone: only an exclusive owner knows
    /// that, and only where nobody else can set the node.
    bool releases_with_changed(ticket_kind kind, bool guarded) const {
        return guarded &&
               (kind == ticket_kind::exclusive || planted_.is(mutant::reader_releases_like_owner));
    }
    /// A release serves the neighbours of its ticket, which no event will tell.
    bool release_serves_neighbours() const {
        return !planted_.is(mutant::neighbours_not_passed_on);
    }
    /// Whoever leaves without having owned the lock hands nothing over.
    bool leaving_hands_over() const { return planted_.is(mutant::neighbour_granted_on_cancel); }
    /// A watch may be inherited while it is armed, from an exclusive ticket that waits; and a
    /// reader never waits for a reader.
    bool may_inherit_watch(const ticket& heir, const ticket& leaver) const {
        const bool searches = leaver.phase == ticket_phase::finding_predecessor;
        return (leaver.phase == ticket_phase::waiting || (searches && keeps_fired_watch())) &&
               leaver.before && leaver.exclusive() &&
               (leaver.before->armed || planted_.is(mutant::unarmed_watch_inherited)) &&
               (heir.exclusive() || leaver.before->exclusive ||
                planted_.is(mutant::reader_inherits_reader));
    }

    // Deletions that are under way

    /// A deletion does not overtake one whose outcome is open.
    bool waits_for_earlier_delete(bool earlier_is_open) const {
        return earlier_is_open && !planted_.is(mutant::releases_overtake);
    }
    /// Only the server's word says that a node is deleted: no loss of a connection, no refusal.
    bool is_deleted(zookeeper_code answer, bool by_release) const {
        const bool refusal = refused(answer) && answer != zookeeper_code::throttled;
        return answer == zookeeper_code::ok ||
               (planted_.is(mutant::release_forgotten_on_loss) && outcome_unknown(answer)) ||
               (planted_.is(mutant::refusal_taken_for_release) && by_release && refusal);
    }
    /// A node that a busy server would not show is read again before anything is deleted by name.
    bool is_read_again(zookeeper_code answer) const {
        return answer == zookeeper_code::throttled &&
               !planted_.is(mutant::unread_is_deleted_by_name);
    }
    /// A node of the same name with another czxid is another node: ours is gone. Of one that was
    /// downgraded only the owner is known.
    bool is_gone(const reply& answer, std::int64_t czxid, std::int64_t session) const {
        const bool is_ours =
            czxid != 0 ? answer.stat.czxid == czxid : answer.stat.ephemeral_owner == session;
        return answer.code == zookeeper_code::no_node ||
               (answer.code == zookeeper_code::ok && !is_ours &&
                !planted_.is(mutant::czxid_not_looked_at));
    }
    /// Nodes that may not be deleted are tried once more before a ticket is made behind them.
    bool retries_undeletable() const { return !planted_.is(mutant::denied_not_tried_again); }
    /// NOAUTH says nothing about the node: ZooKeeper looks at the right before it looks for the
    /// node (PrepRequestProcessor). Ours may have been gone, and its name may be another one's now.
    bool looks_before_deleting(bool was_denied) const {
        return was_denied && !planted_.is(mutant::denied_deleted_by_name);
    }
    /// Behind a node that may not be deleted nobody waits: only an owner stays.
    bool waits_behind_undeletable(const ticket& who) const {
        return who.phase != ticket_phase::held && who.phase != ticket_phase::confirming &&
               !planted_.is(mutant::denied_waiters_kept);
    }
    /// Nodes that may not be deleted go with their session.
    bool undeletable_end_with_session() const {
        return !planted_.is(mutant::denied_outlive_session);
    }

    // Recovery of creates whose outcome is unknown

    /// A refused listing says nothing about what stands there.
    bool listing_says_nothing(zookeeper_code answer) const {
        return refused(answer) && !planted_.is(mutant::refused_listing_is_empty);
    }
    /// A refused read says nothing, except NOAUTH: what this session made it may read.
    bool read_says_nothing(zookeeper_code answer) const {
        return refused(answer) && answer != zookeeper_code::no_auth &&
               !planted_.is(mutant::refused_read_is_foreign);
    }
    /// A node is this session's where its owner is this session.
    bool is_own(const reply& read, std::int64_t session) const {
        return read.code == zookeeper_code::ok &&
               (read.stat.ephemeral_owner == session || planted_.is(mutant::no_owner_check));
    }
    /// A node of this session that stands for no ticket stays while a create may yet claim it.
    bool stray_may_be_claimed(bool creates_open) const {
        return creates_open && !planted_.is(mutant::own_unknown_ticket_deleted);
    }
    /// After a recovery of creates the path is swept once more: a create may appear late.
    bool sweeps_after(bool recovered_creates) const {
        return recovered_creates && !planted_.is(mutant::no_sweep);
    }

    // Searches after a reconnect

    /// After a reconnect every waiter searches again.
    bool searches_after_reconnect() const { return !planted_.is(mutant::no_looks_after_reconnect); }
    /// So many searches are in flight at a time.
    std::size_t searches_at_once(std::size_t window, std::size_t waiting) const {
        return planted_.is(mutant::looks_all_at_once) ? waiting : window;
    }
    /// An answered batch is followed by the next one.
    bool next_batch_follows(zookeeper_code answer) const {
        return !outcome_unknown(answer) && !planted_.is(mutant::only_first_batch_of_looks);
    }
};

} // namespace turnstile::protocol
