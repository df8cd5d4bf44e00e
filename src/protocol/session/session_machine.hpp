// SPDX-License-Identifier: BSL-1.0
// The protocol of one ZooKeeper session with all its locks, without I/O.
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
#include "protocol/yield/yield_wait.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::protocol {

/// Its inputs are the caller's commands, the port's answers and events, and the time. Its outputs
/// are requests to the port, and calls of the listeners with the results. session_driver owns it,
/// and gives it each input on the session's strand.
///
/// phase() is the state of the connection (connector). `closing_` says how far close() is: none,
/// draining (open requests are awaited), sent (the close has gone to the server), or over. From the
/// call of close() on, new acquires, questions, look-ups and writes fail with `session_closed`.
///
/// Its parts: connector connects and retries. heartbeat keeps the lease proved, and lease_watch
/// reports its end. lock_kinds has the locks. inquiries runs questions without a ticket,
/// path_lookups finds lock paths, and guarded_writes writes under held locks.
///
/// If an input throws (an allocation failed here, in the port or in a listener), the machine may
/// only be destroyed. Its owner takes each held lock for lost, and ends the session.
/// (Rules: docs/internals/protocol/lease.md)
class session_machine {
public:
    session_machine(settings options, random_source random, port& the_port, listener& events,
                    lock_listener& lock_events);
    ~session_machine();
    session_machine(const session_machine&) = delete;
    session_machine& operator=(const session_machine&) = delete;

    // Commands. Each takes the instant of the call.
    /// Connects, and makes a session. on_connect_result reports the end.
    void connect(instant now);
    /// connect() has no time limit any more. The attempts go on.
    void cancel_connect(instant now);
    /// Replaces the list of servers: the port has a new one (connector::set_servers).
    void set_servers(instant now, std::size_t count, std::size_t first, bool stays);
    /// Awaits the open requests, then ends the session at the server. on_closed reports the end, at
    /// the latest after `connect_timeout`. A server that does not answer the close within a third
    /// of the session timeout is left. `hasty`: the caller waits for a short time only.
    void close(instant now, bool hasty = false);
    /// Ends the machine at once, without a request. The caller cuts the connection.
    void stop(instant now);
    /// Begins an acquire. on_granted or on_acquire_failed reports its end.
    void acquire(instant now, ticket_id ticket, const acquire_request& what);
    /// Begins acquires in this order, as many as possible in one transaction (ticket_batch). The
    /// others fail with `taken_back` at once, and the caller asks for them again. Each request
    /// names the incarnation that it wants.
    struct one_of_several {
        ticket_id id = 0;
        acquire_request what{};
    };
    void acquire(instant now, const std::vector<one_of_several>& together);
    /// Runs a question that belongs to no ticket (inquiries). It fails at `end`. The caller has
    /// checked its path.
    void inquire(instant now, inquiry_id inquiry, const std::shared_ptr<path_question>& what,
                 std::optional<instant> end = {});
    /// Sends a write that the server refuses once a lock is not held (guarded_writes).
    void write(instant now, inquiry_id inquiry, const guarded_write& what);
    /// Finds the key of the lock that an acquire would take. It makes missing nodes and fails as
    /// that acquire would. on_looked_up reports the end.
    void look_up(instant now, inquiry_id lookup, const acquire_request& what);
    /// Ends an acquire that waits, an upgrade that waits, a question, a look-up or a write.
    void cancel(instant now, watcher_id which);
    /// Whether this question or guarded write has sent a request that changes a node.
    bool was_sent(inquiry_id id) const {
        return inquiries_.has_written(id) || guarded_.was_sent(id);
    }
    /// Releases a lock that is held or lost. on_released reports the end.
    void release(instant now, ticket_id ticket);
    /// Makes the writer a reader. on_downgraded reports the end.
    void downgrade(instant now, ticket_id ticket);
    /// Makes the reader a writer, if no other ticket stands at the path. on_upgraded reports the
    /// end. `writer` is an id that nothing else has.
    void upgrade(instant now, ticket_id ticket, ticket_id writer);
    /// Adds the handle `further` to the lock that `holder` holds. The release of the last handle
    /// releases the lock. Does nothing if `holder` holds none.
    void share(instant now, ticket_id holder, ticket_id further);

    // Input from the port.
    /// A server has granted this session, with this timeout.
    void on_connected(instant now, const credentials& session, duration timeout);
    /// The connection, or the attempt to make one, has ended.
    void on_disconnected(instant now, disconnect_reason why);
    /// A server has answered the request of this id.
    void on_reply(instant now, request_id id, const reply& answer);
    /// A server has reported an event of a watched node.
    void on_watch(instant now, watch_event event, const std::string& node);

    // Time. The driver calls on_time() when next_timer() is due. An early call does no harm. A
    // late one delays proofs and losses.
    void on_time(instant now);
    std::optional<instant> next_timer() const;

    /// The state of the connection.
    session_state phase() const { return connector_.phase(); }
    const credentials& session() const { return connector_.session(); }
    /// The smallest timeout that the session ever negotiated.
    duration timeout() const { return context_.lease.timeout(); }
    /// Requests of this many bytes or more are refused now, or were refused last; 0: none ever was.
    std::size_t least_refused_bytes() const { return context_.requests.sizes().least_refused(); }
    const lock_kinds& kinds() const { return kinds_; }
    /// Makes a question that asks a holder to yield. `acquire`: the acquire of this session that
    /// waits for the lock, and asks; 0: none does.
    yield_request request_to_yield(inquiry_id id, const std::string& path, std::string reason,
                                   ticket_id acquire = 0);
    /// Makes the question that waits until the holder of this lock is asked to yield.
    yield_wait wait_for_request(const std::string& path, ticket_id held, std::int64_t czxid) const;

private:
    enum class closing_step { none, draining, sent, over };

    /// Carries out one input: checks the lease, calls `work`, then sends and reports what follows.
    template <class Work>
    void take_input(instant now, Work work);

    bool is_closing() const {
        return closing_ == closing_step::draining || closing_ == closing_step::sent;
    }
    /// Why an acquire like this may not begin now, or `none`.
    failure refusal(const acquire_request& what) const;
    /// A look-up has found the lock path that the request names.
    void on_path_found(const acquire_request& what, const lock_directory& by);
    void acquire_one(ticket_id id, const acquire_request& what);
    void connect_if_needed();
    /// Connects if there is no connection, and limits how long the waits last without one.
    void connect_and_limit_waits();
    /// Nothing waits, is held or is being deleted: no session is needed.
    bool is_unused() const {
        return kinds_.empty() && inquiries_.empty() && lookups_.empty() && guarded_.empty();
    }
    /// Calls `action` for each wait, with the instant from which it waits.
    template <class Action>
    void for_each_waiting(Action action) const;
    void end_wait(watcher_id which, failure why);
    /// Ends the wait of each release at the lease deadline (L10): from then on another session may
    /// have the lock, whatever a server says.
    void limit_releases();
    /// Each wait fails once it has waited `unreachable_limit` without a server, counted from its
    /// start or from the loss of the connection, whichever came later. A server that shakes hands
    /// and carries nothing out counts as unreachable.
    void limit_waits();
    void fail_overdue();
    void look_up_semaphore(inquiry_id id, const std::string& path, instant since);
    /// The session has expired: all its locks are lost. `releases`: the result of each release that
    /// was not answered, here and in the functions below.
    void expire_session(failure releases);
    void expire_locks(failure releases);
    /// No attempt to connect follows: connect() and all waits fail.
    void give_up(failure why);
    /// The servers answer, but never say whether a request was carried out: all waits fail.
    void give_up_without_clear_answers();
    void fail_waiting(failure why);
    /// Ends all waits and all locks: the session closes.
    void abandon_all();
    /// Cuts the connection of a close after this time, unless an earlier limit runs.
    void set_close_limit(duration limit);
    /// Takes the next step of a close, if it is due.
    void finish_close();
    void enter_closed(failure releases);
    /// Reads the nodes again that are watched without a ticket, if it is time for that.
    void read_watched_again();
    /// Chooses which nodes the next beat checks, or which lock path it reads.
    heartbeat::subject prepare_beat(heartbeat::strength how);
    /// Reads how far a waiting ticket is from the front.
    void ask_place();
    /// The nodes of one held lock, of each in turn.
    std::vector<std::string> held_nodes_to_check();

    session_context context_;
    connector connector_;
    heartbeat heartbeat_;
    lock_kinds kinds_;
    inquiries inquiries_;
    path_lookups lookups_;
    guarded_writes guarded_;
    lease_watch lease_watch_;
    timer overdue_;        // without a server: the next wait reaches its limit
    instant read_again_{}; // the nodes watched without a ticket were read last at this instant
    timer close_limit_;
    timer release_limit_;        // at the lease deadline as it was when this was set
    ticket_id last_checked_ = 0; // the held lock that the last beat checked
    bool answered_ = false;      // a server has answered a request on this connection
    closing_step closing_ = closing_step::none;
};

} // namespace turnstile::protocol
