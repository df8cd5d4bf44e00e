// SPDX-License-Identifier: BSL-1.0
// The one door to a kind of lock: all that a session asks of it.
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

/// All locks of one kind that a session uses, by lock path. A function that returns bool says
/// whether the ticket, the watch or the node is one of this kind's.
class lock_kind {
public:
    using waiting_action = std::function<void(watcher_id, instant since)>;

    virtual ~lock_kind() = default;

    /// Whether a lock of this kind is there in the way of another kind's acquire.
    virtual bool occupies(const acquire_request& what) const = 0;
    virtual bool contains(const std::string& path) const = 0;
    /// Whether the path lies below or above one of these.
    virtual bool is_nested(const std::string& path) const = 0;
    /// The path of an acquire was looked at by another.
    virtual void path_found(const acquire_request&, const lock_directory&) {}

    virtual void acquire(ticket_id id, const acquire_request& what, std::optional<instant> end) = 0;
    /// Asks for the lock's key, where that is not the path's; on_looked_up tells the end.
    virtual bool look_up(watcher_id, const acquire_request&, std::optional<instant>) {
        return false;
    }
    virtual bool cancel(watcher_id id, failure why) = 0;
    virtual bool knows(ticket_id id) const = 0;
    /// A further handle on what `holder` holds.
    virtual bool share(ticket_id holder, ticket_id further) = 0;
    /// From writer to reader, and back. Why it does not begin; with `none` its end is reported.
    virtual failure downgrade(ticket_id) { return failure::not_exclusive; }
    virtual failure upgrade(ticket_id, ticket_id /*writer*/) { return failure::not_shared; }
    /// Also of what was lost.
    virtual bool release(ticket_id id) = 0;
    virtual bool lose(ticket_id id) = 0;
    /// The nodes by which it is held; empty where it is none of these.
    virtual std::vector<std::string> nodes_of(ticket_id id) const = 0;
    /// What a server must find so that a caller's lock is certainly held; nothing where it is not
    /// held any more.
    virtual std::vector<transaction_step> proof_of(ticket_id caller) const = 0;
    /// Whether what this session gave up before it is gone when a server carries out what is sent
    /// now.
    virtual bool is_next(ticket_id /*caller*/) const { return true; }
    /// How many handles share a node under the path; 0 where it is not this session's.
    virtual std::size_t sharers_of(const std::string& path, const std::string& node) const = 0;
    virtual void for_each_waiting(const waiting_action& action) const = 0;
    virtual bool empty() const = 0;

    // The session.
    virtual void on_connected() = 0;
    /// All kinds have asked for what is theirs: those that wait look for their places again.
    virtual void search_again() {}
    virtual void on_disconnected() = 0;
    virtual bool on_watch(watcher_id watcher, watch_event event, const std::string& node) = 0;
    /// A beat has not found the node.
    virtual bool on_missing(const std::string& node) = 0;
    /// Reads what is watched without a ticket: its event may have been lost.
    virtual void read_again() {}
    /// With each beat: what the session might not delete is tried again.
    virtual void retry_denied() = 0;
    /// A node of this session, or a path where one may be or is leaving.
    virtual std::optional<std::string> busy_node() const = 0;
    virtual void end_input() {}
    /// The session has given up: releases that wait fail with that.
    virtual void stop_waiting_for_releases() = 0;
    /// The session is being closed, and nothing new comes: every caller is answered, and no timer
    /// is left that would keep the program alive.
    virtual void abandon_all() = 0;
    /// The session is over; `releases` is the answer to releases that have none.
    virtual void on_expired(failure releases) = 0;
};

} // namespace turnstile::protocol
