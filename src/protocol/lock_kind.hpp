// SPDX-License-Identifier: BSL-1.0
// The interface of a kind of lock.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/names/ticket_id.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/message.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

class lock_directory;

/// All locks of one kind that a session uses, by lock path. session_machine calls it through
/// lock_kinds. A function that returns bool says whether the ticket, the watch or the node is of
/// this kind.
class lock_kind {
public:
    using waiting_action = std::function<void(watcher_id, instant since)>;

    virtual ~lock_kind() = default;

    /// Whether a lock of this kind is at the path, so that an acquire of another kind may not be.
    virtual bool occupies(const acquire_request& what) const = 0;
    virtual bool contains(const std::string& path) const = 0;
    /// Whether the path lies below or above the path of one of these locks.
    virtual bool is_nested(const std::string& path) const = 0;
    /// A look-up has found the path of this acquire.
    virtual void on_path_found(const acquire_request&, const lock_directory&) {}

    virtual void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) = 0;
    /// Finds the lock's key. False: it is that of the path. on_looked_up reports the end.
    virtual bool look_up(watcher_id, const acquire_request&, std::optional<instant>) {
        return false;
    }
    virtual bool cancel(watcher_id id, failure why) = 0;
    virtual bool knows(ticket_id id) const = 0;
    /// Adds a handle to the lock that `holder` holds.
    virtual bool share(ticket_id holder, ticket_id further) = 0;
    /// Make a writer a reader, and a reader a writer. They return why that does not begin. With
    /// `none` the end is reported to the listener.
    virtual failure downgrade(ticket_id) { return failure::not_exclusive; }
    virtual failure upgrade(ticket_id, ticket_id /*writer*/) { return failure::not_shared; }
    /// Releases a lock that is held or lost.
    virtual bool release(ticket_id id) = 0;
    virtual bool lose(ticket_id id) = 0;
    /// The nodes by which the lock is held; empty: it is not of this kind.
    virtual std::vector<std::string> nodes_of(ticket_id id) const = 0;
    /// The checks that succeed only while the caller's lock is held; empty: it is not held.
    virtual std::vector<transaction_step> proof_of(ticket_id caller) const = 0;
    /// How many handles share this node under the path; 0: it is not this session's.
    virtual std::size_t sharers_of(const std::string& path, const std::string& node) const = 0;
    virtual void for_each_waiting(const waiting_action& action) const = 0;
    virtual bool empty() const = 0;

    // The session.
    virtual void on_connected() = 0;
    /// on_connected() was called for all kinds: waiting tickets search their predecessors again.
    virtual void search_again() {}
    virtual void on_disconnected() = 0;
    virtual bool on_watch(watcher_id watcher, watch_event event, const std::string& node) = 0;
    /// A beat has not found the node.
    virtual bool on_missing(const std::string& node) = 0;
    /// Reads the nodes that are watched without a ticket: an event may have been lost.
    virtual void read_again() {}
    /// With each beat: tries again to delete a node for which DELETE was denied.
    virtual void retry_denied() = 0;
    /// A node of this session, or a path where one may be or is being deleted.
    virtual std::optional<std::string> busy_node() const = 0;
    virtual void end_input() {}
    /// The session has given up connecting: releases that wait fail.
    virtual void stop_waiting_for_releases() = 0;
    /// The session is being closed: every caller is answered, and no timer is left that would keep
    /// the program alive.
    virtual void abandon_all() = 0;
    /// The session is over. `releases`: the result of the releases that wait.
    virtual void on_expired(failure releases) = 0;
};

} // namespace turnstile::protocol
