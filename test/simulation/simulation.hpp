// SPDX-License-Identifier: BSL-1.0
// One simulated run: processes, a modelled ensemble, random work and faults, all from one seed.
#pragma once

#include "fault_plan.hpp"
#include "limit_history.hpp"
#include "line_history.hpp"
#include "model/model_ensemble.hpp"
#include "model_client.hpp"
#include "model_multi.hpp"

#include "promises/judge.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

inline constexpr std::array lock_paths{"/locks/a", "/b"};
/// A quiet line, where readers become writers and writers readers.
inline constexpr auto quiet_path = "/quiet";
/// The session timeout of all processes.
inline constexpr protocol::duration session_timeout = std::chrono::seconds{1};
/// At this instant all faults are healed.
inline constexpr protocol::instant end_of_faults{std::chrono::seconds{4}};

/// Owns the processes (model_client), the ensemble and the judge of all promises. All of it works
/// on the thread that calls run(), in the model's time. Processes and faults go on by timers of the
/// event queue: most functions below do one piece of work, and set the timer of the next. Two kinds
/// of mistake end a run: the judge's violations, by what processes were told, and reports, by what
/// only the model knows. A process or a model_multi that has ended stays in its list, since events
/// may still refer to it.
class simulation {
public:
    struct settings {
        bool traced = false;
    };

    simulation(std::uint64_t seed, const fault_plan& plan) : simulation(seed, plan, settings{}) {}
    simulation(std::uint64_t seed, const fault_plan& plan, const settings& how);

    /// Has processes work under faults, then without, and then close. Stops at the first violation.
    void run();

    /// The mistakes of both kinds; empty: the run was good.
    std::vector<std::string> violations() const;
    const std::vector<std::string>& trace() const { return trace_; }
    std::size_t grants() const { return grants_; }
    /// Grants of several locks as one.
    std::size_t multis() const { return multis_granted_; }
    /// Those of them that have permits among their parts.
    std::size_t multis_with_leases() const { return multis_with_leases_; }
    /// How many writes under locks were carried out.
    std::size_t counted() const { return counted_; }
    std::size_t upgrades() const;
    std::size_t downgrades() const;

private:
    // simulation.cpp. run() calls these three first, and then elect() and check_nothing_left().
    /// Starts the processes and all faults that the plan has.
    void start_work_and_faults();
    /// Ends all faults, gives rights back, and waits until all that was begun has ended.
    void heal();
    /// Reports the questions of processes that have got no answer.
    void check_questions_ended();
    void elect();
    void check_nothing_left();
    /// Holds against the truth what processes believe of leaders and of watched nodes.
    void check_beliefs();
    /// Lets time pass until `end`, or until a mistake. With `until_settled` it may stop earlier.
    void run_until(protocol::instant end, bool until_settled);
    /// Whether all that processes have begun has ended, and all rights are back.
    bool is_settled() const;
    bool is_broken() const { return !reports_.empty() || !judge_.violations().empty(); }
    std::string name_of(promises::acquire_id who) const;
    protocol::duration up_to(protocol::duration longest) { return ensemble_.up_to(longest); }
    bool one_in(std::uint64_t many) { return ensemble_.below(many) == 0; }
    /// The path where a right is denied for the whole run; empty if there is none.
    std::string denied() const { return plan_.denials ? "/b" : ""; }
    /// A process that lives.
    model_client& any_client();
    /// Null if nothing is traced.
    std::function<void(const std::string&)> tracer();
    /// All lock paths of this run.
    std::vector<std::string> paths() const;
    /// Those of them that have a line of tickets.
    std::vector<std::string> lines() const;
    /// The lock path that the node belongs to.
    static std::string lock_of(const std::string& node);

    // simulation_work.cpp: work() begins acquires, hold() is called at each grant, and sets the
    // timers of what the holder does, up to let_go().
    void start_client();
    void work(model_client& client);
    void hold(model_client& client, protocol::ticket_id id);
    /// How long a lock is held.
    protocol::duration how_long();
    void let_go(model_client& client, protocol::ticket_id id, bool cut_off);
    void share_later(model_client& client, protocol::ticket_id id, protocol::duration hold);
    void survey(model_client& client);
    void change_limit(model_client& client);
    void count_now_and_then(model_client& client, protocol::ticket_id id, protocol::duration hold);
    std::string any_path();
    /// The acquire for the path's kind of lock.
    protocol::acquire_request acquire_of(const std::string& path) const;
    /// Gives some acquires a limit for how long the lock may be held.
    void limit_now_and_then(protocol::acquire_request& what);

    // simulation_beside.cpp: work on further locks, most of which are not in lock_paths
    void work_beside(model_client& client);
    void begin_beside(model_client& client, const std::string& path);
    void begin_several(model_client& client);
    /// Draws the locks of a model_multi.
    std::vector<model_multi::part> parts_for(model_client& client);
    void change_now_and_then(model_client& client, protocol::ticket_id id);

    // simulation_witness.cpp, which explains the words: owner, condemned, twin, late
    /// A server has applied a transaction. `others`: how many watches it fired on connections other
    /// than the asker's.
    void on_applied(const model_replica& where, const model_txn& txn, std::size_t others);
    /// The first server has applied the transaction.
    void on_committed(const model_replica& where, const model_txn& txn);
    bool note_if_twin_was_deleted(const model_txn& txn, const std::string& path);
    bool meets_version_again(const model_txn& txn, const protocol::node_stat& holder) const;
    bool another_stood_before(const model_replica& where, const std::string& path,
                              std::int64_t owner) const;
    void note_deleted(const lock_node& gone, const deletion& how);
    void note_line(const model_replica& where);
    void note_limit(const model_replica& where);
    void note_count(const model_replica& where, const model_txn& txn);
    /// Reports holders of the semaphore that have more permits together than the limit allowed.
    void check_limits();
    void watch_queues();

    // simulation_faults.cpp: inject_fault() calls itself by a timer, and one of the harm_...() or
    // act_from_outside() each time. They do nothing if the plan has no such fault.
    void inject_fault();
    void harm_a_connection();
    void cut(model_client& client);
    void harm_a_server();
    void throttle();
    void slow_down();
    void partition_a_holder();
    void isolate_with_server(model_client& holder);
    void await_proof(model_client& holder, protocol::instant before);
    void cancel_in_doubt();
    void harm_a_process();
    void crash(model_client& client);
    void act_from_outside();
    void delete_ticket(const std::string& path);
    void await_deletion(const std::string& path, std::int64_t czxid);
    void delete_waiting();
    void crowd_in();
    /// The name of a lock path's child that is no ticket, without its number.
    static constexpr auto foreign_child = "other-";
    /// How many nodes a crowd has: more than `settings::near`, so that tickets behind it are far.
    static constexpr std::size_t crowd = 70;
    void add_foreign_ticket();
    void delete_part();
    void take_name(const std::string& path);
    void trace_server(std::size_t index, const std::string& text);

    // simulation_rights.cpp
    static std::vector<std::string> sorted_by_sequence(std::vector<std::string> names);
    /// The nodes below which the tickets or permits of a lock stand.
    static std::vector<std::string> folders_of(const std::string& path);
    /// Denies or gives back a right at some path, again and again. `lacking` gets the paths where
    /// it was ever denied.
    void change_right(model_right which, std::set<std::string>& lacking);
    void give_rights_back(model_right which);

    std::uint64_t seed_;
    fault_plan plan_;
    settings how_;
    event_queue events_;
    model_ensemble ensemble_;
    promises::judge judge_;
    std::map<std::string, promises::queue_watch> queues_;
    std::vector<std::string> reports_; // mistakes that only the model can know
    std::vector<std::string> trace_;
    std::vector<std::unique_ptr<model_client>> clients_; // with dead ones
    std::vector<std::unique_ptr<model_multi>> multis_;   // with those that are over
    /// The keys of lock paths that a process remembers.
    std::map<std::pair<const model_client*, std::string>, protocol::lock_key> keys_;
    protocol::ticket_id last_ticket_ = 0;
    std::map<std::int64_t, const model_txn*> applied_; // by zxid, for the model's own invariant
    std::map<std::size_t, std::int64_t> newest_;       // by server: the last applied transaction
    std::map<std::int64_t, std::size_t> woken_;        // by release: waiters that it woke
    std::map<std::string, std::size_t> taken_back_;    // by line: tickets, where budgets are small
    std::map<std::string, line_history> lines_; // by path: the lines that a survey may be told
    limit_history limits_;                      // of the semaphore, where its limit changes
    struct written {                            // what a holder wrote under its lock
        std::int64_t by = 0;                    // the czxid of the holder's ticket
        int number = 0;
    };
    std::map<std::string, written> written_; // by node: the last write
    /// Numbers each ticket that was ever first in a line, by its path and czxid. The number grows.
    std::map<std::pair<std::string, std::int64_t>, std::size_t> leader_numbers_;
    std::size_t counted_ = 0;
    std::set<protocol::ticket_id> elected_; // acquires of elect(): it releases them itself
    std::size_t grants_ = 0;
    std::size_t multis_granted_ = 0;
    std::size_t multis_with_leases_ = 0;
    std::size_t turns_beside_ = 0; // how often work_beside() has begun an acquire
    std::map<const model_client*, protocol::instant> alone_until_; // isolated holders
    std::set<std::string> undeletable_;    // paths where DELETE is denied, or was
    std::set<std::string> hidden_;         // paths where READ is denied, or was
    std::set<std::string> uncreatable_;    // paths where CREATE is denied, or was
    protocol::node_stat holder_{};         // the node of the lock of one node, as it stands now
    protocol::instant single_path_made_{}; // when that lock's path was made last
    protocol::instant limit_made_{};       // when the semaphore's limit was made last
    std::map<std::string, protocol::node_stat> condemned_; // tickets that an operator will delete
    std::map<std::int64_t, std::int32_t> handed_over_; // by incarnation: the last ticket released
    std::map<lock_node, deletion> deleted_;            // by an operator, or by a late request
    struct name_taken {
        model_session whose = 0;
        protocol::instant made{};
    };
    std::map<std::string, name_taken> twins_; // by path: another program's last node
    std::set<model_session> replaced_;        // sessions of twins that a late request has deleted
    bool rights_lack_ = false;                // give_rights_back() has not given all back yet
    bool working_ = true;                     // processes begin new work, and faults happen
};

} // namespace turnstile::test
