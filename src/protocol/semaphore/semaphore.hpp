// SPDX-License-Identifier: BSL-1.0
// A semaphore: it takes permits of one lock path for the acquires of one session.
#pragma once

#include "protocol/acquire_request.hpp"
#include "protocol/queue/queue_registry.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/semaphore/held_permits.hpp"
#include "protocol/semaphore/limit_node.hpp"
#include "protocol/semaphore/pending_permits.hpp"
#include "protocol/semaphore/permit_acquires.hpp"
#include "protocol/semaphore/permit_listing.hpp"
#include "protocol/session_context.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// All sessions together hold at most `limit` permits. If the queue is empty and enough permits are
/// free, one transaction takes them (rule S1). If not, the acquire stands in the semaphore's queue
/// with a ticket, as in the queue of a mutex. The first in the queue lists the permits, and takes
/// its own in the transaction that deletes its ticket (S2).
///
/// semaphore_registry has one for each lock path, and brings it acquires and events. The lock_queue
/// calls it as the taker of its tickets. Each acquire has a phase (permit_phases). It goes from
/// start() to confirm() and grant(): by try_free(), or by stand_in_line(), on_first(), on_permits()
/// and take_permits(). The semaphore rests once it has no acquire, permit or request. Its parts
/// read the limit (limit_node), list the permits (permit_listing), hold them (held_permits) and
/// delete them (pending_permits).
///
/// Its files: semaphore_line.cpp has the acquires that stand in the queue, and semaphore.cpp all
/// else. (Rules: docs/internals/protocol/semaphore.md and multi.md)
class semaphore final : public line_taker {
public:
    /// The state that all semaphores of a session share.
    struct family {
        std::unordered_map<ticket_id, semaphore*>& owners; // of each acquire and handle
        queue_registry& queues;
        std::uint64_t attempts = 0; // transactions for permits so far; each has a number
        ticket_id places = 0;       // tickets so far in the queues of semaphores
    };

    semaphore(session_context& shared, std::string path, family& all);
    ~semaphore() override = default;
    semaphore(const semaphore&) = delete;
    semaphore& operator=(const semaphore&) = delete;

    /// The number of acquires so far if the semaphore rests; nothing if it does not.
    std::optional<std::uint64_t> resting() const {
        const bool rests = acquires_.empty() && held_.empty() && leaving_.empty() &&
                           !leaving_.denied() && listing_.is_resting() && limit_.is_resting() &&
                           open_ == 0;
        return rests ? std::optional{uses_} : std::nullopt;
    }

    /// Begins an acquire. `asks_for_key`: it asks for the semaphore's key, and takes no permit
    /// (K1).
    void enter(ticket_id id, const acquire_request& wish, std::optional<instant> end,
               bool asks_for_key);
    void cancel(ticket_id id, failure why, zookeeper_code code = zookeeper_code::ok);
    std::vector<std::string> nodes_of(ticket_id handle) { return held_.nodes_of(handle); }
    std::vector<transaction_step> proof_of(ticket_id handle) { return held_.proof_of(handle); }
    std::size_t sharers_of(const std::string& node) { return held_.sharers_of(node); }
    void share(ticket_id holder, ticket_id further) { held_.share(holder, further); }
    void lose(ticket_id handle, failure why) { held_.lose(handle, why); }
    bool on_missing(const std::string& node) { return held_.on_missing(node); }
    /// The handle lets go of its permits. False: it neither holds permits nor has lost any.
    bool release(ticket_id handle);

    void abandon_all();
    void on_connected();
    void on_disconnected();
    void retry_denied() { leaving_.retry_denied(); }
    void stop_waiting_for_releases() { leaving_.stop_waiting(failure::unreachable); }
    void on_expired(failure releases);
    /// True: a node below the path of a semaphore is the semaphore's.
    bool on_watch(const std::string& node, watch_event event);
    /// Reads the watched nodes again: an event may have been lost (Q15a).
    void read_again() {
        limit_.read_again();
        listing_.look_again();
    }

    void on_queued(ticket_id ticket, std::int32_t ahead) override {
        if (const auto who = acquires_.at(ticket))
            context_.lock_events.on_queued(who->id, ahead);
    }
    void on_first(ticket_id ticket) override;
    void on_place_lost(ticket_id ticket) override;
    void on_line_failed(ticket_id ticket, failure why, zookeeper_code code) override;

    /// Calls `action` for each acquire that waits without a ticket, with the instant of its start.
    template <class Action>
    void for_each_waiting(Action action) const {
        for (auto each = acquires_.front(); each; each = acquires_.after(each->id))
            if (!each->abandoned && !each->stands_in_line())
                action(each->id, each->started);
    }

    // Called by the parts.
    const std::string& path() const { return path_; }
    const std::string& limit_path() const { return limit_path_; }
    const std::string& node_to_check() const { return limit_path_; }
    const std::string& queue_path() const { return queue_path_; }
    const std::string& permits_path() const { return permits_path_; }
    std::string permit_path(const std::string& name) const { return permits_path_ + '/' + name; }
    void send(const request& what, reply_handler done);
    /// Sends a request. `done` is not called if the connection ends first.
    void ask(const request& what, reply_handler done);
    /// A server with too much to do has refused a request: asks for all that is open T/8 later.
    void go_on_later();
    void start_all();
    void add_handle(ticket_id handle) { family_.owners.emplace(handle, this); }
    void remove_handle(ticket_id handle) { family_.owners.erase(handle); }
    const permit_acquires& acquires() const { return acquires_; }
    limit_node& limit() { return limit_; }
    /// Whether the permit is held, is being deleted, or was made by an attempt of a known acquire.
    bool owns(const permit_name& name, const std::string& node) {
        return leaving_.contains(node) || held_.contains(node) || acquires_.own(name, node);
    }
    /// Fails all acquires that wait, with or without a ticket: none could take permits.
    void fail_waiting(failure why, zookeeper_code code = zookeeper_code::ok);

    // Reported by the parts.
    /// The limit was read. `differs`: it, or its incarnation, is another than before.
    void on_limit(bool differs);
    /// A read has found no semaphore. `question`: its number if it was for sure, else 0.
    void on_no_limit(std::uint64_t question);
    void on_permits(const reply& answer); // the first in the queue takes its own if enough are free
    void on_swept(const permit_listing::permits_by_taker& found,
                  const std::vector<std::string>& unknown); // permits of no acquire

private:
    using phase = permit_phase;
    using acquire = permit_acquire;

    /// Asks again for all that waits for an answer.
    void go_on();
    /// Ends an acquire that has neither ticket nor permits, and reports the end.
    void fail(acquire& which, failure why, zookeeper_code code = zookeeper_code::ok);
    /// Ends an acquire that asks for the semaphore's key alone, with that key (K2).
    void tell_key(acquire& which);
    /// Counts one more start of the acquire. False: there were too many. Then the acquire has
    /// failed, and is erased. A caller that does nothing more with it ignores that.
    bool count_start(acquire& who);

    enum class after_start { next_may_start, others_wait };
    /// Starts an acquire, and says what that means for the acquires behind it.
    after_start start(acquire& who);
    enum class limit_result {
        allowed,  // the known limit allows the acquire
        refused,  // it refuses the acquire, which has failed
        in_doubt, // it refuses the acquire, but may be old: it is read again
    };
    /// Compares the acquire with the known limit.
    limit_result apply_limit(acquire& who);
    /// Whether a try without a ticket may succeed, or spares the acquire its ticket (S1).
    bool is_worth_a_try(const acquire& who) const;
    /// Takes the bytes of the permits from the budget. False: there is no room.
    bool take_bytes(acquire& who);
    /// Lets the acquire stand in the queue, or fails it if it may not wait.
    void wait_or_fail(acquire& who, bool after_try);

    /// Sends the transaction that makes the permits. The two steps go before them. They either
    /// count the tickets in the queue and the permits, or set and delete the acquire's ticket
    /// (permit_step).
    void make_permits(acquire& who, phase to, transaction_step second, transaction_step third);
    /// Takes free permits without a ticket (S1).
    void try_free(acquire& who);
    void on_tried(acquire& who, const reply& answer, const permit_limit& checked);
    void on_try_failed(acquire& who, const reply& answer);
    /// The server has refused the transaction, and so has made no permits.
    void on_refused(acquire& who, const reply& answer);

    /// The acquire's ticket in the queue, or null.
    ticket* ticket_of(const acquire& who) const;
    void stand_in_line(acquire& who);
    /// Deletes the acquire's ticket, if it has one. The acquire goes on without a ticket.
    void leave_line(acquire& who);
    /// Ends an acquire whose caller has gone.
    void give_up(acquire& who);
    /// Takes permits in the transaction that deletes the ticket (S2).
    void take_permits(acquire& who);
    void on_taken(acquire& who, const reply& answer);
    void on_not_taken(acquire& who, const reply& answer);

    /// The acquire has the permits that a transaction made. `stamped`: the step whose stat shows
    /// the transaction. False: it may not keep them, and has ended.
    bool take_over_permits(acquire& who, const reply& answer, permit_step stamped);
    void delete_permits(acquire& who) { leaving_.add(std::exchange(who.permits, {}), 0); }
    /// Proves the lease and the permits, and then grants (G1).
    void confirm(acquire& who);
    void prove(acquire& who, grant_step next);
    /// Another program has deleted some of the acquire's permits: begins anew without them.
    void start_without_permits(acquire& who);
    void check(acquire& who);
    void grant(acquire& which);

    /// A sweep has found permits that an attempt of this acquire made.
    void adopt(acquire& who, const std::vector<std::string>& permits);
    /// Lets the numbers of permits and tickets start again, if the session has none of them (S8).
    void restart_numbers();

    session_context& context_;
    family& family_;
    const std::string path_;
    const std::string limit_path_;
    const std::string queue_path_;
    const std::string permits_path_;
    permit_acquires acquires_;
    limit_node limit_;
    permit_listing listing_;
    pending_permits leaving_;
    held_permits held_;
    std::int32_t highest_ = -1;     // the highest number of a permit so far
    std::uint64_t connections_ = 0; // the number of this connection: answers of others are old
    std::uint64_t uses_ = 0;        // acquires so far
    std::size_t open_ = 0;          // requests whose answers find this object
    bool sets_tickets_;             // the session may write its tickets (S2)
    bool may_find_room_ = true;     // the last try found room, or permits were released since (S1)
    bool starting_ = false;         // start_all() runs, and is not entered again
    timer again_;                   // asks again after a server had too much to do
};

} // namespace turnstile::protocol
