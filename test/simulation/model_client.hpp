// SPDX-License-Identifier: BSL-1.0
// A process of the simulation.
#pragma once

#include "asked_requests.hpp"
#include "lock_node.hpp"
#include "model/model_ensemble.hpp"

#include "promises/judge.hpp"
#include "protocol/election/leader_watch.hpp"
#include "protocol/inspect/line_survey.hpp"
#include "protocol/inspect/path_read.hpp"
#include "protocol/semaphore/semaphore_change.hpp"
#include "protocol/session/session_machine.hpp"
#include "protocol/yield/yield_wait.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

/// The path of the lock of one node, in runs that have one.
inline constexpr auto single_node_path = "/n";
/// The path of the semaphore, and how many permits it has.
inline constexpr auto semaphore_path = "/s";
inline constexpr std::uint32_t semaphore_limit = 3;

/// The path of the node with the number that a lock guards.
std::string counter_of(const std::string& path);
/// Reads such a node's data: the ticket that wrote it, and the number.
std::pair<protocol::ticket_id, int> count_in(const std::string& data);
/// The name and the czxid of the first ticket of a line.
std::pair<std::string, std::int64_t> first_of(const model_tree& where, const std::string& path);

/// A process with one session: the session machine, its link to the modelled ensemble, and what its
/// callers were told. It holds all that the machine tells against what a user may expect, and tells
/// the judge. `simulation` owns it. It works on the one thread of the run, in the model's time; a
/// paused process puts its input off until the pause ends, and a dead one ignores it.
class model_client : private protocol::listener, private protocol::lock_listener {
public:
    /// Hears that a part of several locks was granted, failed or was lost: at that instant, but
    /// when the machine's function has returned.
    using part_listener = std::function<void(promises::happening what, protocol::failure why)>;
    struct part {
        protocol::ticket_id id = 0;
        protocol::acquire_request what{};
        part_listener told{};
    };
    /// Hears the key of a lock path, in the same way.
    using key_listener = std::function<void(protocol::failure, const protocol::lock_key&)>;

    struct acquire {
        protocol::acquire_request what;
        part_listener told{}; // set if it is a part of several
        bool beside = false;  // it does not count as work that the process waits for
        bool cancelled = false;
        bool reads = false;         // it is a reader, from its first downgrade on
        bool warned = false;        // it was told that its limit is near
        bool held_too_long = false; // lost by its limit: the ticket stays for a margin more
        std::int64_t czxid = 0;
        std::optional<protocol::instant> limit{}; // when it is lost by its limit
        protocol::instant released_by{};          // its release ends then, or with a newer lease
        std::size_t downgrades = 0;               // begun, and not ended
        std::size_t upgrades = 0;                 // begun, and not ended

        bool is_by(const lock_node& node) const {
            return czxid == node.czxid && what.path == node.lock;
        }
    };
    /// What a process needs of its run, and what may happen there.
    struct surroundings {
        model_ensemble& ensemble;
        promises::judge& judge; // knows acquires by their tickets' ids, and locks by their paths
        std::string denied;     // a path where access is denied
        const std::set<std::string>& undeletable;     // paths where DELETE is denied, or was
        const std::map<lock_node, deletion>& deleted; // tickets that an operator deleted
        const std::set<std::string>& hidden;          // paths where READ is denied, or was
        const std::set<std::string>& uncreatable;     // paths where CREATE is denied, or was
        bool pauses;                                  // this process may stand still
        bool brief_connects;                          // connecting may take too long
        bool part_deletions;                          // nodes of the semaphore may go
        bool foreign_twins;                           // other programs' nodes have our names
        bool limit_changes;                           // the semaphore may go, or its limit be low
        std::function<void(const std::string&)> report;
        std::function<void(const std::string&)> trace; // may be empty
        std::function<void(model_client&, protocol::ticket_id)> on_held;
        /// The number of a leader of a path, which grows from one to the next; 0: it never led.
        std::function<std::size_t(const std::string& path, std::int64_t czxid)> reign_of;
    };

    model_client(std::string name, const surroundings& around, protocol::settings options,
                 std::uint64_t seed);

    void connect();
    void cancel_connect();
    void begin(protocol::ticket_id id, const protocol::acquire_request& what, bool beside = false);
    /// Begins the parts of several locks, in one transaction where that is possible.
    void begin(const std::vector<part>& together);
    /// Asks for the key of a lock path.
    protocol::inquiry_id look_up(const protocol::acquire_request& what, key_listener then);
    /// Cancels an acquire; a paused process does so when it goes on.
    void give_up(protocol::ticket_id id);
    void give_up_look_up(protocol::inquiry_id id);
    /// cancel() does nothing unless it waits, release() unless it is held.
    void cancel(protocol::ticket_id id);
    void release(protocol::ticket_id id);
    /// Makes a writer a reader.
    void downgrade(protocol::ticket_id id);
    /// Makes a reader a writer, by a ticket of the id `writer`.
    void upgrade(protocol::ticket_id id, protocol::ticket_id writer);
    /// The servers have carried out a downgrade in this transaction.
    void on_committed_downgrade(const std::string& from, const std::string& to, std::int64_t zxid);
    /// The limit was set by this client's session, or removed.
    void on_committed_change(std::optional<protocol::instant> held_since);
    /// Makes a further handle on what is held.
    void share(protocol::ticket_id id, protocol::ticket_id further);
    /// Asks who stands in line, and reads the data of the first `most`. Tells their names.
    using line_listener = std::function<void(const std::vector<std::string>&)>;
    void survey(protocol::ticket_id id, const std::string& path, std::size_t most,
                line_listener then);
    /// Sets the limit of a semaphore, or takes it away.
    void change(protocol::semaphore_change what);
    /// Adds one to the number that this lock guards, if it holds it to write.
    void count(protocol::ticket_id id);
    /// Proclaims a value to those who follow the leader, if it leads.
    void proclaim(protocol::ticket_id id);
    void follow(const std::string& path);
    /// Waits until another process asks it to yield.
    void await_request(protocol::ticket_id id);
    /// Asks the holders to yield, and gives up after `patience`.
    void ask_to_yield(const std::string& path, std::optional<protocol::duration> patience);
    /// Has this acquire ask the tickets before it to yield, once it waits.
    void ask_before(protocol::ticket_id id) { asks_.insert(id); }
    /// What it wrongly believes about leaders, and about nodes that it watches. Only at rest.
    std::vector<std::string> misbeliefs() const;
    void close();
    /// Pauses the process until `end`. It may believe past its deadline, and that makes no other
    /// belief wrong.
    void pause_until(protocol::instant end);
    /// Kills the process: none of its beliefs counts, and it tells nothing more.
    void crash();
    /// An operator is about to end the session: its locks are lost before it can know.
    void forsake();
    /// Another program has deleted this node: no belief by it counts any more.
    void excuse_belief(const lock_node& which);
    /// Another program has deleted this node: a lock that was lost by its limit has no margin now.
    void end_margin(const lock_node& which);

    model_link& link() { return link_; }
    const asked_requests& asked() const { return asked_; }
    std::int64_t session() const { return machine_.session().session_id; }
    const std::string& name() const { return name_; }
    bool dead() const { return dead_; }
    protocol::instant deadline() const { return lease_.deadline; }
    bool holds_anything() const { return count(promises::stage::held) > 0; }
    bool knows(protocol::ticket_id id) const { return acquires_.contains(id); }
    const std::string& path_of(protocol::ticket_id id) const { return acquires_.at(id).what.path; }
    /// Whether it believes that it holds the lock by this ticket.
    bool holds(const lock_node& by) const;
    bool closed() const { return closed_; }
    bool connecting() const { return connecting_; }
    bool surveying() const { return !dead_ && !surveys_.empty(); }
    bool changing() const { return !dead_ && !changes_.empty(); }
    bool asking() const { return !dead_ && !yields_.empty(); }
    /// How many holders became writers, and how many readers.
    std::size_t upgrades() const { return upgrades_; }
    std::size_t downgrades() const { return downgrades_; }
    /// How many acquires wait, without parts and without those begun beside.
    std::size_t acquiring() const;
    std::vector<protocol::ticket_id> waiting() const;
    std::size_t acquiring(const std::string& path) const;

private:
    struct following {
        std::string path;
        std::shared_ptr<protocol::leader_watch> what;
        std::size_t reign = 0;
    };
    struct watching {
        protocol::ticket_id by;
        std::shared_ptr<protocol::yield_wait> what;
    };
    struct yielding {
        std::string path;
        protocol::ticket_id by = 0; // the acquire that asks, if any
    };
    struct key_wish {
        acquire like{}; // it is refused for the same reasons
        key_listener then{};
    };

    void on_phase(session_state phase) override;
    void on_connect_result(protocol::failure why) override;
    void on_closed() override;
    void on_queued(protocol::ticket_id id, std::int32_t ahead) override;
    void on_granted(protocol::ticket_id id, std::int64_t czxid) override;
    void on_acquire_failed(protocol::ticket_id id, protocol::failure why,
                           protocol::zookeeper_code code) override;
    void on_lost(protocol::ticket_id id, protocol::failure why) override;
    void on_limit_near(protocol::ticket_id id) override;
    void check_limit(protocol::ticket_id id);
    void on_released(protocol::ticket_id id, protocol::failure why,
                     protocol::zookeeper_code code) override;
    void on_downgraded(protocol::ticket_id id, protocol::failure why,
                       protocol::zookeeper_code code) override;
    void on_upgraded(protocol::ticket_id id, protocol::failure why, protocol::zookeeper_code code,
                     std::int64_t czxid) override;
    void on_deadline(const protocol::lease_instants& in_force) override;
    void on_risk(bool at_risk) override;
    void on_answer(protocol::inquiry_id inquiry, const protocol::path_question& what) override;
    void on_written(protocol::inquiry_id write, const protocol::guarded_write& what,
                    protocol::failure why, const protocol::reply& answer) override;
    void on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                      protocol::zookeeper_code code, const protocol::lock_key& key) override;
    void on_note(log_level level, std::string_view text) override;

    void input(std::function<void(protocol::session_machine&, protocol::instant)> function);
    /// Keeps from an answer what a grant that follows from it is checked with.
    void learn(protocol::request_id id, const protocol::reply& answer);
    void ask(protocol::ticket_id id, const protocol::acquire_request& what);
    /// Returns whether it is a part.
    bool tell_part(protocol::ticket_id id, promises::happening what, protocol::failure why);
    void end_look_up(protocol::inquiry_id id, protocol::failure why, const protocol::lock_key& key);
    // model_client_asides.cpp
    void check_write(const protocol::request& what);
    bool is_hidden(const std::string& path) const; // READ is denied there, or was
    bool writes(protocol::ticket_id id) const;
    void ask(protocol::inquiry_id id, std::shared_ptr<protocol::path_question> what);
    void on_counted(protocol::inquiry_id inquiry, const protocol::path_read& read);
    void on_followed(protocol::inquiry_id id);
    void on_request(protocol::inquiry_id id);
    void stop_awaiting(protocol::ticket_id lock);
    void stop_inquiry(protocol::inquiry_id id);
    void begin_asking(protocol::inquiry_id id, const yielding& which);
    void stop_asking(protocol::inquiry_id id);
    void check_request(const protocol::transaction_step& step);
    void stop_asking_for(protocol::ticket_id id);
    void end_asking(protocol::inquiry_id id, protocol::failure why);
    void end_survey(protocol::inquiry_id id);
    void end_change(protocol::inquiry_id id);
    bool paused() const { return around_.ensemble.now() < paused_until_; }
    void arm();
    /// Tells the judge.
    void see(protocol::ticket_id id, promises::happening what);
    void see(protocol::ticket_id id, promises::event what);
    promises::stage stage_of(protocol::ticket_id id) const { return around_.judge.stage_of(id); }
    bool believes(protocol::ticket_id id) const { return around_.judge.of(id).believes; }
    void know(protocol::ticket_id id, acquire&& which);
    /// The acquires that are not over.
    const std::vector<protocol::ticket_id>& open() const;
    std::size_t count(promises::stage which) const;
    bool is_expected(const acquire& which, protocol::failure why) const;
    bool was_gone(const acquire& which) const; // its ticket, when the session connected
    bool was_deleted_as_owner(const lock_node& which) const;
    bool proof_was_to_be_had() const; // a server could have proved the session before a loss
    bool is_doomed() const;           // the session is over, and the machine cannot know yet
    void wrong(protocol::ticket_id id, const std::string& text);
    void note(const std::string& text) {
        if (around_.trace)
            around_.trace(name_ + ' ' + text);
    }

    std::string name_;
    surroundings around_;
    model_link link_;
    asked_requests asked_{link_};
    protocol::session_machine machine_;
    std::map<protocol::ticket_id, acquire> acquires_;
    mutable std::vector<protocol::ticket_id> open_; // all that are not over, and some that are
    std::map<protocol::inquiry_id, std::pair<std::shared_ptr<protocol::line_survey>, line_listener>>
        surveys_;
    std::map<protocol::inquiry_id, std::shared_ptr<protocol::semaphore_change>> changes_;
    std::map<protocol::inquiry_id, key_wish> look_ups_;
    std::map<protocol::inquiry_id, protocol::ticket_id>
        counts_;                   // writes, by the acquire that counts
    std::set<lock_node> doubtful_; // holders of a write whose outcome is unknown
    std::map<protocol::inquiry_id, following> followed_;
    std::map<protocol::inquiry_id, watching> watched_;
    std::map<protocol::inquiry_id, yielding> yields_;
    std::set<protocol::ticket_id> asks_; // acquires that will ask once they wait
    protocol::inquiry_id last_inquiry_ = protocol::inquiry_id{1} << 32; // above all tickets
    std::optional<protocol::instant> armed_;
    protocol::lease_instants lease_{};     // the lease that was told last
    std::optional<std::int64_t> forsaken_; // a session that an operator ended
    protocol::instant paused_until_{};
    std::vector<std::function<void()>> backlog_;
    std::vector<protocol::ticket_id> excused_;        // acquires that the pause excuses
    std::optional<std::vector<std::string>> listing_; // the listing that is handled now
    std::int64_t met_at_ = 0; // what the server had applied when it took the connection
    std::size_t enqueue_window_;
    std::size_t rewatch_window_;       // so many watches are set again at a time
    std::size_t changes_done_ = 0;     // of the one that is asked for
    protocol::instant change_began_{}; // that one
    std::size_t upgrades_ = 0;
    std::size_t downgrades_ = 0;
    bool at_risk_ = false;
    bool small_budget_;
    bool session_ends_ = false;  // the machine tells now that the session has ended
    bool connecting_ = false;    // connect() is awaited
    bool connect_again_ = false; // connect() took too long, and is called again at once
    bool dead_ = false;
    bool closing_ = false;
    bool closed_ = false;
};

} // namespace turnstile::test
