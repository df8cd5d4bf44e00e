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
/// on the thread that calls run(), in the model's time. Two kinds of mistake end a run: the judge's
/// violations, by what processes were told, and reports, by what only the model knows. A process or
/// a model_multi that has ended stays in its list, since events may still refer to it.
class simulation {
public:
    struct settings {
        bool traced = false;
    };

    simulation(std::uint64_t seed, const fault_plan& plan) : simulation(seed, plan, settings{}) {}
    simulation(std::uint64_t seed, const fault_plan& plan, const settings& how);

    /// Has processes work under faults, then without, and then close. Stops at the first violation.
    void run();

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
    void run_until(protocol::instant end, bool until_settled);
    void check_nothing_left();
    void check_beliefs();
    void elect();
    bool settled() const;
    bool broken() const { return !reports_.empty() || !judge_.violations().empty(); }
    std::string name_of(promises::acquire_id who) const;
    protocol::duration up_to(protocol::duration longest) { return ensemble_.up_to(longest); }
    bool one_in(std::uint64_t many) { return ensemble_.below(many) == 0; }
    std::string denied() const { return plan_.denials ? "/b" : ""; }
    model_client& any_client();
    /// Null if nothing is traced.
    std::function<void(const std::string&)> tracer();
    /// All lock paths of this run.
    std::vector<std::string> paths() const;
    std::vector<std::string> lines() const;
    /// The lock path that the node belongs to.
    static std::string lock_of(const std::string& node);

    // simulation_work.cpp
    void start_client();
    void work(model_client& client);
    void hold(model_client& client, protocol::ticket_id id);
    protocol::duration how_long();
    void let_go(model_client& client, protocol::ticket_id id, bool cut_off);
    void share_later(model_client& client, protocol::ticket_id id, protocol::duration hold);
    void survey(model_client& client);
    void change_limit(model_client& client);
    void count_now_and_then(model_client& client, protocol::ticket_id id, protocol::duration hold);
    std::string any_path();
    /// The acquire for the path's kind of lock.
    protocol::acquire_request acquire_of(const std::string& path) const;
    void limit_now_and_then(protocol::acquire_request& what);

    // simulation_beside.cpp: work on further locks, which are not in lock_paths
    void work_beside(model_client& client);
    void begin_beside(model_client& client, const std::string& path);
    void begin_several(model_client& client);
    std::vector<model_multi::part> parts_for(model_client& client);
    void change_now_and_then(model_client& client, protocol::ticket_id id);

    // simulation_witness.cpp, which explains the words: owner, condemned, twin, late
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
    void check_limits();
    void watch_queues();

    // simulation_faults.cpp: each may do nothing, if the plan has no such fault
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
    void delete_waiting();
    void crowd_in();
    /// Children of a path that are no tickets.
    static constexpr auto foreign_child = "other-";
    static constexpr std::size_t crowd = 70;
    void await_deletion(const std::string& path, std::int64_t czxid);
    void add_foreign_ticket();
    void delete_part();
    void take_name(const std::string& path);
    void trace_server(std::size_t index, const std::string& text);

    // simulation_rights.cpp
    static std::vector<std::string> sorted_by_sequence(std::vector<std::string> names);
    /// The nodes below which the tickets or permits of a lock stand.
    static std::vector<std::string> folders_of(const std::string& path);
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
    std::map<std::int64_t, const model_txn*> applied_;
    std::map<std::size_t, std::int64_t> newest_;    // by server: the last applied transaction
    std::map<std::int64_t, std::size_t> woken_;     // by release: waiters that it woke
    std::map<std::string, std::size_t> taken_back_; // by line: tickets, where budgets are small
    std::map<std::string, line_history> lines_;     // those that surveys may ask for
    limit_history limits_;                          // the semaphore's, where they change
    struct written {
        std::int64_t by = 0; // the czxid of a ticket
        int number = 0;
    };
    std::map<std::string, written> written_; // by node: the last write
    /// Numbers each ticket that was ever first in a line, by its path and czxid. The number grows.
    std::map<std::pair<std::string, std::int64_t>, std::size_t> leader_numbers_;
    std::size_t counted_ = 0;
    std::set<protocol::ticket_id> elected_; // locks that are held until all is checked
    std::size_t grants_ = 0;
    std::size_t multis_granted_ = 0;
    std::size_t multis_with_leases_ = 0;
    std::size_t beside_ = 0; // acquires begun beside the lines
    std::map<const model_client*, protocol::instant> alone_until_;
    std::set<std::string> undeletable_;                    // paths where DELETE is denied, or was
    std::set<std::string> hidden_;                         // paths where READ is denied, or was
    std::set<std::string> uncreatable_;                    // paths where CREATE is denied, or was
    protocol::node_stat holder_{};                         // the node of the lock of one node
    protocol::instant single_path_made_{};                 // when its path was made last
    std::map<std::string, protocol::node_stat> condemned_; // tickets that an operator will delete
    std::map<std::int64_t, std::int32_t> handed_over_;     // by incarnation: the last such ticket
    std::map<lock_node, deletion> deleted_;                // tickets that an operator deleted
    struct name_taken {
        model_session whose = 0;
        protocol::instant made{};
    };
    std::map<std::string, name_taken> twins_; // by name: another program's last node
    std::set<model_session> replaced_;        // twins that a downgrade met which was sent before
    bool rights_lack_ = false;                // a right is denied, and was not given back yet
    bool working_ = true;                     // processes begin new work
};

} // namespace turnstile::test
