// SPDX-License-Identifier: BSL-1.0
// A lock of one node: it acquires one lock path for one session, and keeps the session's node.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/hold.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/queue/lock_directory.hpp"
#include "protocol/session_context.hpp"
#include "protocol/single_node/single_node_phase.hpp"
#include "protocol/time/timers.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// The session that makes the node `holder` holds the lock (rule O1). The others watch it, and try
/// again when it goes (O2). The acquires of one session compete one at a time, in their order.
/// The node's name is used again and again. So the session knows its node by the czxid, and deletes
/// it together with a check that no other session has acquired the lock since (O3).
///
/// single_node_registry has one for each lock path, and brings it acquires and events. Its phase
/// says what it does (single_node_phase.hpp). It rests in `free`, once no acquire waits and no
/// answer is awaited.
/// (Rules: docs/internals/protocol/single-node.md)
class single_node {
public:
    /// The lock of each acquire and handle of the session.
    using owner_table = std::unordered_map<ticket_id, single_node*>;

    single_node(session_context& shared, std::string path, owner_table& owners);
    single_node(const single_node&) = delete;
    single_node& operator=(const single_node&) = delete;

    /// The number of acquires so far if the lock rests; nothing if it does not.
    std::optional<std::uint64_t> resting() const {
        const bool rests = phase_ == phase::free && waiting_.empty() && !sweep_wanted_ &&
                           !directory_.is_busy() && open_ == 0;
        return rests ? std::optional{uses_} : std::nullopt;
    }
    const std::string& node_to_check() const { return path_; }

    void enter(ticket_id id, const acquire_request& wish, std::optional<instant> end);
    void cancel(ticket_id id, failure why, zookeeper_code code = zookeeper_code::ok);
    /// Adds a handle to a held lock. The release of the last handle releases the lock.
    void share(ticket_id holder, ticket_id further);
    /// The handle lets go of the lock. False: it neither holds nor has lost it.
    bool release(ticket_id id);
    std::vector<std::string> nodes_of(ticket_id) const { return {node_}; }
    /// No steps: the lock guards no writes. The node's name is used again, and no check tells one
    /// incarnation of the path from the next (W2).
    std::vector<transaction_step> proof_of(ticket_id) const { return {}; }
    /// The lock is lost by its deadline or its limit. The node keeps its place until later (L8).
    void lose(ticket_id id, failure why);

    /// The session closes: fails all acquires, and ends the hold.
    void abandon_all();
    void on_connected();
    void on_disconnected();
    void stop_waiting_for_releases();
    void on_expired(failure releases);
    /// False: it is no node of this lock.
    bool on_watch(const std::string& node, watch_event event);
    /// Reads the watched node of another session again: an event may have been lost (Q15a).
    void read_again();
    /// With each beat: tries again to delete a node for which DELETE was denied (O9a).
    void retry_denied() {
        if (phase_ == phase::undeletable)
            examine();
    }
    /// A beat has found this node missing. False: it is no node of this lock.
    bool on_missing(const std::string& node);

    template <class Action>
    void for_each_waiting(Action action) const {
        for (const auto& each : waiting_)
            if (!each->abandoned)
                action(each->id, each->started);
    }

private:
    using phase = single_node_phase;

    struct acquire {
        acquire(ticket_id the_id, acquire_request what, session_context& shared)
            : id(the_id),
              wish(std::move(what)),
              mark{shared.random(), the_id},
              started(shared.now()),
              deadline(shared.clock) {}
        const ticket_id id;
        const acquire_request wish;
        const request_mark mark;
        const instant started;
        timer deadline;
        bool abandoned = false; // the caller is gone, but a node of the acquire may yet appear
    };
    struct own_node {
        std::vector<ticket_id> holders{}; // the handles; beats know the lock by the first
        std::int64_t czxid = 0;
        std::int32_t version = 0; // of the lock path since this node was made: a deletion checks it
        bool leaving = false;     // it is to be deleted
        bool unseen = false;      // this connection has not shown it: its server may lag behind
        bool tried = false;       // its deletion was sent, and may have been carried out
        ticket_id notify = 0;     // the release that waits for the deletion; 0: none
    };

    // The first acquire competes for the lock.
    /// Sends the create of the first acquire, unless something is under way.
    void compete();
    void compete_later(); // the server has too much to do
    /// Examines the node or competes, whichever the phase asks for.
    void go_on();
    void on_created(const reply& answer);
    /// Reads another session's node, with a watch if the acquire waits.
    void read_other_node();
    void on_other_node(const reply& answer);
    /// Whether the path has another incarnation than the acquire asks for.
    bool is_renewed(const acquire& who) const {
        return who.wish.incarnation != 0 && who.wish.incarnation != *directory_.incarnation();
    }
    /// The first acquire has made this node. `others`: the other children of the path.
    void on_node_made(const own_node& mine, std::int32_t others);
    /// Proves the lease and the node, and then grants (G1).
    void confirm();
    void prove(grant_step next);
    void grant();
    void watch_own_later(duration delay);
    void watch_own();
    void set_watch();
    /// The watch on the node has fired. The node is this session's or another's.
    void on_event(watch_event event);
    void forget_watch();

    // The session's node: held, lost, deleted or undeletable.
    bool is_holder(ticket_id id) const;
    void tell_lost(const own_node& what, failure why);
    void forget_holders(const own_node& what);
    void end_hold();
    /// Begins the deletion of the node. `notify`: the release that waits for it; 0: none.
    void give_up_node(ticket_id notify = 0);
    /// Sends the deletion, or first examines the node if this connection has not shown it.
    void delete_node();
    void on_delete_answer(const reply& answer);
    /// The node is deleted: ends the release, and lets the next acquire compete.
    void on_node_gone(failure why);
    void on_delete_denied(zookeeper_code code);

    // Finding out whose node is there.
    /// Reads the path, and then the node.
    void examine();
    void ask_owner();
    void examine_later();
    /// Path and node were read: decides what to do.
    void on_examined(const reply& found);
    void on_own_examined(const reply& found);
    /// What shows that another program has deleted the node.
    enum class evidence { certain, read };
    void on_deleted_outside(evidence known_by);
    void sweep_later();

    void send(const request& what, reply_handler done);
    /// Begins an epoch, and sends a request. `done` is not called for an answer that is late or
    /// leaves the outcome open.
    void ask(const request& what, reply_handler done);
    /// Sends a request in the present epoch: answers to its earlier requests still count.
    void ask_in_epoch(const request& what, reply_handler done);
    void pop_front();
    void fail_front(failure why, zookeeper_code code = zookeeper_code::ok);
    void forget_abandoned();
    /// Forgets the node, which goes with the session, and returns what was known of it, so that the
    /// caller can report the ends of hold and release. The acquires go on waiting.
    own_node extract_node();
    /// Ends the hold, and gives the node's bytes back.
    void forget_node();

    session_context& context_;
    owner_table& owners_;
    const std::string path_;
    const std::string node_;
    lock_directory directory_;
    tabled_state<single_node_phases> phase_;
    std::uint64_t epoch_ = 0; // a reply that was asked for in an earlier epoch is stale
    std::deque<std::unique_ptr<acquire>> waiting_; // the first competes
    std::optional<own_node> ours_;
    reply path_answer_;     // the answer for the lock path, while examining
    bool watched_ = false;  // the watch on the node is set
    std::size_t tries_ = 0; // creates of the first acquire since it last met a node
    claim bytes_{};
    std::size_t open_ = 0; // requests whose answers find this object
    std::uint64_t uses_ = 0;
    hold hold_;                 // of the node, until it is to be deleted
    timer own_watch_;           // sets the watch on the held node (O6)
    timer again_;               // asks again for what a server has refused to answer
    timer sweep_;               // looks for a node that appeared late (O5)
    bool sweep_wanted_ = false; // a create may come late, and no sweep after that has ended yet
};

} // namespace turnstile::protocol
