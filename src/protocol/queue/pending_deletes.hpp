// SPDX-License-Identifier: BSL-1.0
// The tickets of one session that are leaving one queue, in order.
#pragma once

#include "protocol/names/ticket_name.hpp"
#include "protocol/session_context.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace turnstile::protocol {

class lock_queue;

enum class delete_form {
    release, // set and delete in one transaction: hands the lock on with CHANGED
    plain,   // delete: its watchers have to search
};

struct pending_delete {
    ticket_name name;
    std::int64_t czxid = 0;
    delete_form form = delete_form::plain;
    std::size_t cost = 0;
    ticket_id notify = 0;           // a release that is waited for; 0: none
    bool denied = false;            // once already
    bool may_be_downgraded = false; // where it is gone, it may stand by its other name
};

/// Deletions are sent in the order of the queue: the release of a later ticket tells its successor
/// that all before it are gone for good. After a connection loss a deletion may or may not have
/// happened, and the name may stand for another node if the lock path was made anew: it is sent
/// again only for a node that shows our czxid. A deletion that was denied is tried again that way.
/// Each also checks the session's tickets behind it that hold the lock: where an external actor has
/// deleted one of them, this node stays until that one's loss has been reported.
class pending_deletes {
public:
    pending_deletes(session_context& shared, lock_queue& owner, const std::string& path)
        : context_(shared), queue_(owner), path_(path), again_(shared.clock) {}

    /// `next`: tickets of this session that hold the lock after it, without a question.
    void add(pending_delete what, std::vector<ticket_name> next = {});
    /// By either name, where it may have been downgraded.
    bool contains(const ticket_name& name) const { return places_.contains(place_of(name)); }
    /// Whether some that stand before this ticket are still to be answered.
    bool some_before(const ticket_name& name) const {
        return std::ranges::any_of(
            leaving_, [&](const auto& each) { return each.second.name.sequence < name.sequence; });
    }
    /// Whether some of these have still to be sent on this connection.
    bool some_unsent_before(const ticket_name& name) const {
        return std::ranges::any_of(leaving_, [&](const auto& each) {
            return each.second.where != state::sent && each.second.name.sequence < name.sequence;
        });
    }
    /// Whether the last of them is on its way without a check of this ticket, which is granted.
    bool is_unchecked(const ticket_name& name) const;
    /// The other names of those that may have been downgraded.
    std::vector<ticket_name> in_doubt() const;
    bool empty() const { return leaving_.empty(); }

    // Nodes that may not be deleted. Others stand behind them until an operator gives the right, or
    // the session ends. Their bytes stay taken: the server has to name them when the session
    // closes.
    bool has_undeletable() const { return !undeletable_.empty(); }
    bool is_undeletable(const ticket_name& name) const;
    /// With each beat: one of them says whether the right is back.
    void retry_denied();

    /// The barrier of the connection was sent before.
    void on_connected() { resume(); }
    void on_disconnected();
    /// Tells all that are waited for, and keeps the deletes.
    void stop_waiting(failure why);
    void on_expired(failure why);

private:
    using key = std::uint64_t;
    // The whole name: sequences begin anew with each incarnation of the lock path, and a writer
    // that became a reader had its sequence under two names.
    using place = std::tuple<std::int64_t, std::int32_t, ticket_kind, bool>;
    static place place_of(const ticket_name& name) {
        return {name.incarnation, name.sequence, name.kind, name.downgraded};
    }

    enum class state { queued, checking, sent, unknown };
    struct entry : pending_delete {
        state where = state::queued;
        std::vector<ticket_name> checked{}; // in the request on its way
        bool tried = false;
    };
    using entries = std::map<key, entry>;

    void resume();
    void resume_later();
    void flush();
    void take_back(key which, entry& leaving, state where);
    void check(key which);
    void on_checked(key which, const reply& answer);
    void remove(key which, entry& leaving);
    void on_removed(key which, const reply& answer);
    void on_missing(key which, ticket_name checked);
    void go_on_downgraded(key which, entry& leaving);
    void finish(entries::iterator leaving, failure why, zookeeper_code code = zookeeper_code::ok);
    void end(const pending_delete& what, failure why, zookeeper_code code);
    std::string path_of(const entry& leaving) const { return leaving.name.under(path_); }

    session_context& context_;
    lock_queue& queue_;
    const std::string& path_;
    timer again_; // for what a server with too much to do sent back
    key last_ = 0;
    key first_unsent_ = 0; // all before it are on their way
    entries leaving_;
    std::deque<pending_delete> undeletable_;
    std::multiset<place> places_;
};

} // namespace turnstile::protocol
