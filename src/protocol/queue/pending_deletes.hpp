// SPDX-License-Identifier: BSL-1.0
// The deletions of one session's tickets in one queue, in the order of the queue.
#pragma once

#include "protocol/names/ticket_name.hpp"
#include "protocol/session_context.hpp"
#include "protocol/state_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace turnstile::protocol {

class lock_queue;

enum class delete_form {
    release, // set and delete in one transaction: hands the lock on with CHANGED
    plain,   // delete: its watchers have to search
};

struct pending_delete {
    ticket_name name;
    std::int64_t czxid = 0; // 0: not known, as after a downgrade
    delete_form form = delete_form::plain;
    claim bytes{};
    ticket_id notify = 0;           // a release that is waited for; 0: none
    bool denied = false;            // DELETE was denied before, and that was reported
    bool may_be_downgraded = false; // if `name` is gone, the node may have its downgraded name
};

enum class deletion_state : std::uint8_t {
    queued,  // to be sent
    sent,    // the request is on its way
    unknown, // it is not known whether the node stands, or by which name
    reading, // the node is being read
};

/// A deletion begins as `queued`, or as `unknown`. It ends with the answer to its request, or with
/// the read that finds its node gone.
inline constexpr std::array deletion_states = [] {
    using enum deletion_state;
    using entry = state_entry<deletion_state>;
    return std::array{
        // The server has too much to do, or a holder that was checked is gone. The node stands, or
        // cannot be read.
        entry{queued, {queued, sent, reading}},
        // All deletions before it were sent. Or the server refused the set that goes with a
        // release, and the deletion is sent without it.
        entry{sent, {queued, sent}},
        // The connection was lost, or the answer does not say whether the node stands.
        entry{unknown, {queued, sent, reading}},
        // The connection is there. Or no node has the name from before a downgrade, and the node
        // with the downgraded name is read.
        entry{reading, {queued, unknown}},
    };
}();

/// Deletes the nodes of tickets that have left their lock_queue, which owns this object.
///
/// Deletions are sent in the order of the queue: the release of a later ticket shows its successor
/// that all tickets before it are gone for good. After a lost connection a deletion may have been
/// carried out, and the name may belong to another node if the lock path was made anew. So it is
/// sent again only after a read that shows the czxid of this session's node. The same holds for a
/// deletion that was denied.
///
/// Each deletion also checks the session's tickets behind it that hold the lock. If another program
/// has deleted one of them, the node stays until the loss of that ticket has been reported.
class pending_deletes {
public:
    pending_deletes(session_context& shared, lock_queue& owner, const std::string& path)
        : context_(shared), queue_(owner), path_(path), again_(shared.clock) {}

    /// Begins a deletion. `next`: the tickets of this session that get the lock right after this
    /// call. If the deletion is sent at once, it checks them, too.
    void add(pending_delete what, std::vector<ticket_name> next = {});
    /// Whether this name is being deleted; either name of a ticket that may have been downgraded.
    bool contains(const ticket_name& name) const { return names_.contains(name); }
    /// Whether the deletion of a ticket before this one is still open.
    bool has_deletion_before(const ticket_name& name) const {
        return std::ranges::any_of(
            leaving_, [&](const auto& each) { return each.second.name.sequence < name.sequence; });
    }
    /// Whether the node of a ticket before this one may stand, also because DELETE is denied.
    bool has_node_before(const ticket_name& name) const {
        return has_deletion_before(name) ||
               std::ranges::any_of(undeletable_, [&](const auto& each) {
                   return each.name.sequence < name.sequence;
               });
    }
    /// Whether a read must show this ticket before its grant (Q12a): of the deletions that are on
    /// their way for tickets before it, the last does not check it.
    bool is_unchecked(const ticket_name& name) const;
    /// The other names of the tickets that may have been downgraded.
    std::vector<ticket_name> downgraded_names() const;
    bool empty() const { return leaving_.empty(); }

    // Nodes that may not be deleted. Others stand behind them until an operator gives the right, or
    // the session ends. Their bytes stay taken: the server has to name them when the session
    // closes.
    bool has_undeletable() const { return !undeletable_.empty(); }
    bool is_undeletable(const ticket_name& name) const;
    /// With each beat: tries to delete one of them.
    void retry_denied();

    /// The barrier, the first write of each connection, was sent before.
    void on_connected() { resume(); }
    /// Fails all releases that wait. The deletions go on.
    void stop_waiting(failure why);
    void on_expired(failure why);

private:
    using deletion_id = std::uint64_t;
    using state = deletion_state;
    struct open_delete : pending_delete {
        tabled_state<deletion_states> phase{};
        std::vector<ticket_name> holders_checked{}; // by the request on its way
        bool may_be_done = false; // a deletion was sent, and may have been carried out
    };
    using open_deletes = std::map<deletion_id, open_delete>;

    /// Reads the nodes of unknown deletions, and sends the queued ones.
    void resume();
    void resume_later();
    /// Sends the deletions that are queued, up to the first one that is not.
    void flush();
    /// A deletion that was sent, or is to be sent, goes back to this state.
    void put_back(deletion_id which, open_delete& leaving, state where);
    void read_node(deletion_id which);
    void on_node_read(deletion_id which, const reply& answer);
    void send_deletion(deletion_id which, open_delete& leaving);
    void on_deletion_answered(deletion_id which, const reply& answer);
    /// A holder that the deletion checked is gone, so the server has deleted nothing.
    void on_holder_gone(deletion_id which, ticket_name checked);
    /// No node has the name from before the downgrade: goes on with the downgraded name.
    void go_on_downgraded(deletion_id which, open_delete& leaving);
    /// No node has this name, or it may not be deleted, and then the deletion ends. It also ends if
    /// no node is there. But if the node may have its downgraded name, it goes on with that.
    void finish(open_deletes::iterator leaving, failure why,
                zookeeper_code code = zookeeper_code::ok);
    /// The end of a deletion: answers the release, and gives the bytes back. If DELETE is denied,
    /// keeps the node for retry_denied(). If it was denied before and is not any more, tries all
    /// others that were.
    void settle(pending_delete what, failure why, zookeeper_code code);
    std::string path_of(const open_delete& leaving) const { return leaving.name.under(path_); }

    session_context& context_;
    lock_queue& queue_;
    const std::string& path_;
    timer again_; // sends again after a server had too much to do
    deletion_id last_ = 0;
    deletion_id first_unsent_ = 0; // all deletions before this one are on their way
    open_deletes leaving_;
    std::deque<pending_delete> undeletable_;
    std::multiset<ticket_name> names_; // of all in leaving_, with the names after a downgrade
};

} // namespace turnstile::protocol
