// One ZooKeeper session and all its locks, sans-io: replies, events and instants in, requests out
// through the port, results out through the listener.
#pragma once

#include "protocol/queue/machine_context.hpp"
#include "protocol/queue/queue_registry.hpp"
#include "protocol/queue/rewatch_queue.hpp"
#include "protocol/session/connector.hpp"
#include "protocol/session/heartbeat.hpp"
#include "protocol/session/inquiries.hpp"
#include "protocol/session/lease_watch.hpp"
#include "protocol/session/rules.hpp"
#include "protocol/session/unreachable_timeout.hpp"
#include "protocol/single_node/single_node_registry.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>

namespace turnstile::protocol {

struct acquire_request {
    std::string path; // checked by the caller
    ticket_kind kind = ticket_kind::exclusive;
    bool patient = true; // false: fail with would_block instead of waiting
    std::optional<duration> limit;
    bool single_node = false; // the lock is one node, and there is no line
};

/// Where an input throws (an allocation failed, in the machine or behind the port or the listener),
/// the machine may only be destroyed: all that it holds is to be taken for lost, and the session is
/// to be ended by whoever owns the connection.
class session_machine {
public:
    session_machine(settings options, random_source random, port& the_port, listener& events);
    ~session_machine();
    session_machine(const session_machine&) = delete;
    session_machine& operator=(const session_machine&) = delete;

    // Commands. Each takes the instant of the call.
    void connect(instant now);
    /// Nobody awaits connect() any more: its limit is over. Nothing fails, and attempts go on.
    void cancel_connect(instant now);
    /// Sends what is pending, then ends the session at the server; on_closed tells the end.
    void close(instant now);
    /// Ends at once; the caller sees to the connection.
    void stop(instant now);
    void acquire(instant now, ticket_id ticket, const acquire_request& what);
    /// A request that belongs to no ticket (see inquiries). Its path was checked by the caller.
    void inquire(instant now, inquiry_id inquiry, const request& what);
    /// Ends an acquire that is not granted, or an inquiry.
    void cancel(instant now, watcher_id which);
    void release(instant now, ticket_id ticket);
    /// From writer to reader; on_downgraded tells the end.
    void downgrade(instant now, ticket_id ticket);
    /// One more that holds what `holder` holds; released with the last of them. Where that is lost
    /// nothing is told of it.
    void share(instant now, ticket_id holder, ticket_id further);

    // Input from the port.
    void on_connected(instant now, const credentials& session, duration timeout);
    void on_disconnected(instant now, disconnect_reason why);
    void on_reply(instant now, request_id id, const reply& answer);
    void on_watch(instant now, watch_event event, const std::string& node);

    // Time. The driver calls on_time() when next_timer() is due; early or late is harmless.
    void on_time(instant now);
    std::optional<instant> next_timer() const;

    session_phase phase() const { return connector_.phase(); }
    const credentials& session() const { return connector_.session(); }
    /// The smallest timeout that the session ever negotiated.
    duration timeout() const { return context_.lease.timeout(); }
    std::size_t queues() const { return queues_.size(); }
    /// How many acquires share this ticket of the session's; 0: it is none.
    std::size_t sharers_of(const std::string& path, const std::string& node) const;

    /// All that it remembers.
    auto snapshot() const {
        return std::tie(context_, connector_, heartbeat_, queues_, rewatches_, inquiries_,
                        unreachable_, lease_watch_, close_limit_, last_checked_, answered_,
                        closing_, single_nodes_);
    }

private:
    enum class closing_step { none, draining, sent, over };

    class input; // the frame around each input: lost locks first, bookkeeping last

    bool is_closing() const {
        return closing_ == closing_step::draining || closing_ == closing_step::sent;
    }
    void begin_input(instant now);
    void end_input();
    void lose(ticket_id id);
    failure misplaced(const acquire_request& what) const;
    void acquire_node(ticket_id id, const acquire_request& what);
    void join(ticket& who, ticket_id id, std::optional<instant> end);
    bool refuses_wait_for_own(ticket_id id, const std::string& path);
    void end_wait(ticket_id id);
    void warn_of_short(duration timeout) const;
    void end_session();
    /// The session is over; `releases` is what those are told that were not answered.
    void end_locks(failure releases);
    void give_up(failure why);
    void finish_close();
    std::optional<std::string> subject_of_beat();
    void on_missing(const std::string& node);

    machine_context context_;
    [[no_unique_address]] session_rules rules_;
    connector connector_;
    heartbeat heartbeat_;
    queue_registry queues_;
    single_node_registry single_nodes_;
    rewatch_queue rewatches_;
    inquiries inquiries_;
    unreachable_timeout unreachable_;
    lease_watch lease_watch_;
    timer close_limit_;
    ticket_id last_checked_ = 0;
    bool answered_ = false; // something was, on this connection
    closing_step closing_ = closing_step::none;
};

} // namespace turnstile::protocol
