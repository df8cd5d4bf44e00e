// SPDX-License-Identifier: BSL-1.0
// One ZooKeeper session and all its locks, sans-io: replies, events and instants in, requests out
// through the port, results out through the listener.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/session/connector.hpp"
#include "protocol/session/guarded_writes.hpp"
#include "protocol/session/heartbeat.hpp"
#include "protocol/session/inquiries.hpp"
#include "protocol/session/lease_watch.hpp"
#include "protocol/session/lock_kinds.hpp"
#include "protocol/session/path_lookups.hpp"
#include "protocol/session_context.hpp"
#include "protocol/yield/yield_request.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// Where an input throws (an allocation failed, in the machine or behind the port or the listener),
/// the machine may only be destroyed: all that it holds is to be taken for lost, and the session is
/// to be ended by the owner of the connection.
class session_machine {
public:
    session_machine(settings options, random_source random, port& the_port, listener& events);
    ~session_machine();
    session_machine(const session_machine&) = delete;
    session_machine& operator=(const session_machine&) = delete;

    // Commands. Each takes the instant of the call.
    void connect(instant now);
    /// connect() is not awaited any more. Attempts go on.
    void cancel_connect(instant now);
    /// Of the port's new list: see connector.
    void set_servers(instant now, std::size_t count, std::size_t first, bool stays);
    /// Sends what is pending, then ends the session at the server; on_closed tells the end, at the
    /// latest after `connect_timeout`. A server that is silent for a third of the timeout is not
    /// waited for. `hasty`: the caller does not want to wait.
    void close(instant now, bool hasty = false);
    /// Ends at once; the caller sees to the connection.
    void stop(instant now);
    void acquire(instant now, ticket_id ticket, const acquire_request& what);
    /// Acquires several locks in this order, all that may be in one transaction (ticket_batch).
    /// Those that are taken back fail with `taken_back`, at once, and are to be asked for again.
    /// Each names the incarnation that it wants.
    struct one_of_several {
        ticket_id id = 0;
        acquire_request what{};
    };
    void acquire(instant now, const std::vector<one_of_several>& together);
    /// Asks what belongs to no ticket, until it is over (see inquiries), or until that instant. Its
    /// path was checked by the caller.
    void inquire(instant now, inquiry_id inquiry, const std::shared_ptr<path_question>& what,
                 std::optional<instant> end = {});
    /// Writes where locks are held (see guarded_writes).
    void write(instant now, inquiry_id inquiry, const guarded_write& what);
    /// Asks which lock an acquire means. What is missing is made as by an acquire, and what would
    /// refuse an acquire refuses this. on_looked_up tells the end.
    void look_up(instant now, inquiry_id lookup, const acquire_request& what);
    /// Ends an acquire that is not granted, an inquiry, a look-up, or the upgrade of what is held.
    void cancel(instant now, watcher_id which);
    void release(instant now, ticket_id ticket);
    void downgrade(instant now, ticket_id ticket);
    /// `writer` is an id that nothing else has.
    void upgrade(instant now, ticket_id ticket, ticket_id writer);
    /// One more that holds what `holder` holds; released with the last of them. Where that is lost
    /// nothing is reported of it.
    void share(instant now, ticket_id holder, ticket_id further);

    // Input from the port.
    void on_connected(instant now, const credentials& session, duration timeout);
    void on_disconnected(instant now, disconnect_reason why);
    void on_reply(instant now, request_id id, const reply& answer);
    void on_watch(instant now, watch_event event, const std::string& node);

    // Time. The driver calls on_time() when next_timer() is due; early or late is harmless.
    void on_time(instant now);
    std::optional<instant> next_timer() const;

    session_state phase() const { return connector_.phase(); }
    const credentials& session() const { return connector_.session(); }
    /// The smallest timeout that the session ever negotiated.
    duration timeout() const { return context_.lease.timeout(); }
    /// From how many bytes on requests are refused, or were last; 0: none was.
    std::size_t least_refused_bytes() const { return context_.requests.sizes().least_refused(); }
    const lock_kinds& kinds() const { return kinds_; }
    /// A question of this id. With an acquire of this session it is that waiter's.
    yield_request request_to_yield(inquiry_id id, const std::string& path, std::string reason,
                                   ticket_id acquire = 0);

private:
    enum class closing_step { none, draining, sent, over };

    template <class Work>
    void take_input(instant now, Work work);

    bool is_closing() const {
        return closing_ == closing_step::draining || closing_ == closing_step::sent;
    }
    /// Why nothing of the kind begins now, or none.
    failure refusal(const acquire_request& what) const;
    void path_found(const acquire_request& what, const lock_directory& by);
    void acquire_one(ticket_id id, const acquire_request& what);
    void connect_if_needed();
    void await_connection();
    /// Nothing waits, is held or is on its way out: no session is needed.
    bool is_unused() const {
        return kinds_.empty() && inquiries_.empty() && lookups_.empty() && guarded_.empty();
    }
    template <class Action>
    void for_each_waiting(Action action) const;
    void end_wait(watcher_id which, failure why);
    /// No release waits longer than until the lease deadline (L10): from then on others may have
    /// what it releases, whatever a server says.
    void limit_releases();
    /// While no server can be reached, each waits its own limit: from its start or from the loss of
    /// the connection, whichever came later. A server that shakes hands and carries nothing out
    /// counts as unreachable.
    void limit_waits();
    void fail_overdue();
    void end_session(failure releases);
    /// `releases` is the result of those that were not answered.
    void end_locks(failure releases);
    void give_up(failure why);
    void end_waits();
    void fail_waiting(failure why);
    void abandon_all();
    void limit_close(duration limit);
    void finish_close();
    void end(failure releases);
    heartbeat::subject subject_of_beat(heartbeat::strength how);
    void ask_place();
    std::vector<std::string> held_nodes_to_check();

    session_context context_;
    connector connector_;
    heartbeat heartbeat_;
    lock_kinds kinds_;
    inquiries inquiries_;
    path_lookups lookups_;
    guarded_writes guarded_;
    lease_watch lease_watch_;
    timer overdue_;        // while no server can be reached: the first that has waited for too long
    instant read_again_{}; // when what is watched without a ticket was read last
    timer close_limit_;
    timer release_limit_; // early, where the lease has moved on
    ticket_id last_checked_ = 0;
    bool answered_ = false; // something was, on this connection
    closing_step closing_ = closing_step::none;
};

} // namespace turnstile::protocol
