// SPDX-License-Identifier: BSL-1.0
// A semaphore: the acquires of one session for leases of one lock path.
#pragma once

#include "protocol/names/lock_key.hpp"
#include "protocol/names/request_mark.hpp"
#include "protocol/queue/lock_directory.hpp"
#include "protocol/queue/queue_registry.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/semaphore/pending_leases.hpp"
#include "protocol/semaphore/rules.hpp"
#include "protocol/session_context.hpp"
#include "protocol/time/timers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::protocol {

/// At most `limit` leases over all sessions. Where nobody stands in line and enough are free, one
/// transaction takes them. Else the acquire stands in the queue of the semaphore with a ticket, as
/// in that of a mutex. Whoever is first looks at the leases, and takes its own in the transaction
/// that ends its ticket. Split over files by step: semaphore.cpp (callers, the session),
/// semaphore_limit.cpp (the limit), semaphore_parts.cpp (how the nodes are made),
/// semaphore_try.cpp (free leases), semaphore_line.cpp (first in line), semaphore_first_try.cpp
/// (first in line, and a lease has just become free), semaphore_lease.cpp (held, lost, released),
/// semaphore_sweep.cpp (lost answers).
class semaphore final : public line_taker {
public:
    struct acquire {
        acquire(ticket_id the_id, timers& clock)
            : id(the_id), deadline(clock), place_expiry(clock), own_watch(clock) {}

        const ticket_id id;
        std::uint32_t count = 1;
        std::optional<std::uint32_t> limit{}; // as the caller states it
        bool patient = true;
        std::int64_t wanted = 0;  // the incarnation that was asked for; 0: any
        bool only_looked = false; // it wants to know the key, and no lease
        bool later_part = false;  // other parts of a multi_lock are held meanwhile
        bool own_wait_told = false;
        bool looks_for_strays = false; // it may not wait, and others seem to be there
        request_mark request{};
        instant started{};
        std::uint64_t questions = 0; // for the limit, asked before it came
        timer deadline;

        enum class stage : std::uint8_t {
            starting,     // waits for the limit, or for acquires of this session before it
            trying,       // the transaction that takes free leases was sent
            in_line,      // its ticket is to stand in the queue
            first,        // nobody stands before it
            trying_first, // the transaction that takes free leases beside its ticket was sent
            taking,       // the transaction that ends its ticket was sent
            unresolved,   // and its answer was lost
            confirming,   // the leases are there; the session's lease is still to be proved
            held,
            lost, // told so; the leases stay until the deadline, or until the holder lets go
        };
        stage now = stage::starting;
        bool abandoned = false; // the caller is gone; leases may yet appear
        ticket_id place = 0;    // its ticket in the queue
        std::uint64_t attempt = 0;
        std::set<std::uint64_t> unknown_takes{}; // attempts that may have taken leases
        std::optional<std::int32_t> bound{};     // leases tried from here on were not granted
        std::optional<std::int64_t> counted{};   // leases, at its last look
        std::vector<std::string> leases{};       // names
        std::int64_t czxid = 0;                  // of the leases
        bool unseen = false;                     // on this connection
        std::vector<ticket_id> others{};         // further handles
        std::size_t paid = 0;                    // bytes taken from the budget
        bool in_reserve = false;                 // of those that are kept for leases that are free
        std::size_t tries = 0;                   // since something was there last
        timer place_expiry;
        timer own_watch;
    };
    /// Who holds, and who acquires, is known to the session by its id.
    using owner_table = std::unordered_map<ticket_id, semaphore*>;

    /// What the semaphores of a session share.
    struct family {
        owner_table owners{};
        queue_registry& queues;
        std::uint64_t attempts = 0; // numbered over the whole session
        ticket_id places = 0;       // the same of tickets in the queues
    };

    semaphore(session_context& shared, family& all, std::string path, watcher_id watcher);
    ~semaphore() override;
    semaphore(const semaphore&) = delete;
    semaphore& operator=(const semaphore&) = delete;

    bool idle() const;
    /// How often it was used, where nothing goes on.
    std::optional<std::uint64_t> resting() const {
        return idle() ? std::optional{uses_} : std::nullopt;
    }
    const std::string& limit_path() const { return limit_path_; }

    void enter(std::unique_ptr<acquire> newcomer);
    void cancel(ticket_id id, failure why, zookeeper_code code = zookeeper_code::ok);
    void share(ticket_id holder, ticket_id further);
    /// Whether it is held by this one, or was lost by it.
    bool release(ticket_id id);
    /// Tells the loss by deadline. The leases keep their place until the deadline itself.
    void lose(ticket_id id);
    /// The paths of the leases of one that is held.
    std::vector<std::string> leases_of(ticket_id id) const;
    /// How many handles there are on the acquire that has this lease, by its path.
    std::size_t sharers_of(const std::string& lease) const;

    void abandon_all();
    void on_connected();
    void on_disconnected();
    void stop_waiting_for_releases() { leaving_.stop_waiting(failure::unreachable); }
    void on_expired(failure releases);
    void on_watch(const std::string& node, watch_event event);
    /// What the first in line waits for may be there, and its event lost.
    void read_again();
    /// A lease turned out to be deleted by another hand.
    /// Whether it was one of those that are held.
    bool on_missing(const std::string& node);

    void on_queued(ticket_id place, std::int32_t ahead) override;
    void on_first(ticket_id place) override;
    void on_place_lost(ticket_id place) override;
    void on_line_failed(ticket_id place, failure why, zookeeper_code code) override;

    /// Those who wait and have no ticket, with the instant of their start.
    template <class Action>
    void for_each_waiting(Action action) const {
        for (const auto& [id, each] : acquires_)
            if (!each->abandoned &&
                (each->now < acquire::stage::in_line || each->now == acquire::stage::confirming))
                action(id, each->started);
    }

private:
    using stage = acquire::stage;
    struct known_limit {
        std::uint32_t value = 0;
        std::int32_t version = 0;
        std::int64_t incarnation = 0; // czxid of all three nodes
        std::int64_t ctime = 0;
        std::uint64_t question = 0; // whose answer it is; 0: it may be old
    };
    // semaphore.cpp
    acquire* find(ticket_id id) const;
    acquire* holder_of(ticket_id id) const;
    acquire* standing_at(ticket_id place) const;
    void erase(ticket_id id);
    void fail(acquire& who, failure why, zookeeper_code code = zookeeper_code::ok);
    void leave_line(acquire& who);
    bool anybody_in_line() const;
    bool anybody_waits() const;
    /// `subject`: what else the handler keeps, unless the request tells it; an acquire by its
    /// attempt.
    void send(const request& what, reply_handler done);
    std::string lease_path(const std::string& name) const { return leases_path_ + '/' + name; }
    void give_bytes(acquire& who);

    // semaphore_limit.cpp
    void learn();
    void learn_for_sure();
    void read_limit(std::uint64_t question);
    void on_limit(const reply& answer, bool watched, std::uint64_t question);
    void on_new_limit(bool differs);
    bool refuse(acquire& who);
    std::vector<ticket_id> starting() const;
    std::vector<ticket_id> standing() const; // in line
    void fail_starting(failure why, zookeeper_code code = zookeeper_code::ok);
    void fail_waiting(failure why, zookeeper_code code = zookeeper_code::ok);
    void forget_watches();

    // semaphore_parts.cpp
    void make(std::uint64_t question);
    void mend(const known_limit& found);
    bool searches_on();
    void look_around(const std::optional<known_limit>& found);
    void on_looked_around(const reply& answer, const std::optional<known_limit>& found);
    void send_make(std::int32_t version, const known_limit& limit,
                   const std::set<std::string>& left);
    void on_made(const reply& answer, std::size_t old_parts);
    void miss_part();
    void doubt_limit();
    void on_not_empty();
    void start_anew();
    std::int32_t highest() const;
    void restart_numbers();

    // semaphore_try.cpp
    void start_all();
    bool start(acquire& who);
    bool pay(acquire& who);
    void wait(acquire& who, bool after_try);
    void try_free(acquire& who);
    void on_tried(ticket_id id, const reply& answer, const known_limit& checked);
    bool is_renewed(const acquire& who) const {
        return rules_.is_renewed(who.wanted, limit_->incarnation);
    }
    failure refusal_of(const acquire& who) const;
    bool waits_for_own(acquire& who);
    void tell_key(acquire& who);
    void stand_in_line(acquire& who);
    bool restart(acquire& who);
    void add_leases(const acquire& who, bool tried, std::vector<transaction_step>& to);

    // semaphore_line.cpp
    acquire* first() const;
    void look();
    void look_later();
    void on_leases(const reply& answer);
    bool may_look_for_strays() const {
        return context_.options.passes_strays && context_.now() >= strays_due_;
    }
    void look_for_strays(const std::vector<std::string>& leases);
    void take_leases(acquire& who);
    void on_taken(ticket_id id, const reply& answer, bool set_ticket);
    void on_not_taken(acquire& who, const reply& answer, bool set_ticket);

    // semaphore_first_try.cpp
    void on_leases_changed();
    void try_as_first(acquire& who);
    void on_tried_as_first(ticket_id id, const reply& answer, std::size_t first_lease,
                           const known_limit& checked);
    void pass_place_on(acquire& who);

    // semaphore_lease.cpp
    bool is_exhausted(const acquire& who);
    void take_over(acquire& who, const reply& answer, std::size_t first_lease, std::int64_t czxid);
    void confirm(acquire& who);
    void grant(acquire& who);
    void watch_own_later(acquire& who, duration delay);
    void watch_own(acquire& who);
    void lose_lease(acquire& who);
    void tell_lost(ticket_id id, const std::vector<ticket_id>& others, failure why);
    void drop_leases(acquire& who, ticket_id release);
    void on_lease_gone();

    // semaphore_sweep.cpp
    void sweep_on_next_connection() {
        sweep_.cancel(); // the last look comes so long after the last lost answer
        sweep_due_ = true;
        last_sweep_ = false;
    }
    void sweep_soon() {
        sweep_on_next_connection();
        sweep();
    }
    void sweep();
    void on_swept(const reply& answer);
    bool belongs(const lease_name& name, const std::string& text);
    void adopt(acquire& who, std::vector<std::string> names);

    session_context& context_;
    family& family_;
    [[no_unique_address]] semaphore_rules rules_;
    const std::string path_;
    const std::string limit_path_;
    const std::string queue_path_;
    const std::string leases_path_;
    const watcher_id watcher_;
    lock_directory directory_;
    std::map<ticket_id, std::unique_ptr<acquire>> acquires_; // in order of arrival
    std::unordered_map<ticket_id, ticket_id> places_;        // whose a ticket in the queue is
    std::optional<known_limit> limit_;
    std::uint64_t questions_ = 0;      // for a limit that is not old
    std::optional<std::int64_t> torn_; // a limit that was not made together with the leases
    bool part_missing_ = false;        // one of the three nodes was not there
    bool retried_ = false;             // tickets that may not be deleted, since they were found
    bool sets_tickets_ = context_.options.guarded; // this session may write its tickets
    std::set<std::string> strays_;                 // names of leases that go with no session
    instant strays_due_{};                         // until then they are not looked for again
    std::int32_t highest_ = -1;                    // number of a lease of this incarnation
    instant numbers_rest_{}; // until then they are not tried to be started again
    std::optional<ticket_id> first_;
    pending_leases leaving_;
    std::uint64_t epoch_ = 0; // connections
    std::uint64_t uses_ = 0;
    std::size_t open_ = 0; // requests whose answers find this object
    std::size_t rounds_ = 0;
    bool asking_ = false;    // for the limit, or making it
    bool caught_up_ = false; // the server reads no limit older than the question
    bool limit_watched_ = false;
    bool leases_watched_ = false;
    bool looking_ = false;
    bool look_wanted_ = false; // the leases changed since they were asked for
    bool seen_free_ = true;
    bool sweeping_ = false;
    bool sweep_wanted_ = false; // once more, since the leases were listed
    bool sweep_due_ = false;    // on the next connection, if not now
    bool last_sweep_ = false;   // what came late has come
    bool starting_ = false;
    timer sweep_;
    timer again_; // for what a server would not say
};

} // namespace turnstile::protocol
