// SPDX-License-Identifier: BSL-1.0
// What may happen in a simulated run.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::test {

/// The faults and the kinds of work of a run. Each seed draws some of them, so that each fault is
/// seen alone, too.
struct fault_plan {
    // Connections.
    bool cuts = false;
    bool black_holes = false;
    bool outages = false; // no server takes connections for a while
    bool holds = false;   // creates are held back on their way, past a reconnect
    // Servers. Partitions, partitioned holders and lag need the ensemble.
    bool ensemble = false;
    bool server_crashes = false;
    bool server_pauses = false;
    bool partitions = false; // a server cut off from the others, in one direction or both
    bool lag = false;
    bool partitioned_holders = false; // a holder is left alone with a server that was cut off
    bool impatient = false; // followers leave a leader at once, which goes on for its ticks
    // Processes.
    bool client_crashes = false;
    bool client_pauses = false;
    // Operators and other programs.
    bool session_ends = false;     // sessions ended by an operator
    bool path_deletions = false;   // empty lock paths are deleted
    bool ticket_deletions = false; // tickets deleted by an operator
    bool foreign_tickets = false;  // tickets of other programs stand in line, and are set
    bool denials = false;          // at one path no session may read, or set, or create
    // Users.
    bool readers = false;
    bool cancels = false;
    bool small_budget = false;
    bool single_path = false;
    unsigned ticks = 4;       // how many ticks a session timeout has
    bool brief_rests = false; // idle lines are forgotten between two answers
    // At the end all connections break, and users give up as these return.
    bool cancels_in_doubt = false;
    bool holder_returns = false;      // a partitioned holder is cut, and returns to its server
    bool delete_denials = false;      // for a while no session may DELETE in a lock path
    bool foreign_twins = false;       // other programs' nodes get names of tickets that are gone
    bool repeated_cuts = false;       // a connection that broke breaks again and again
    bool throttles = false;           // for a while a server sends back half of what it is asked
    bool read_denials = false;        // for a while no session may READ a lock path
    bool create_denials = false;      // for a while no session may CREATE in a lock path
    bool silent_session_ends = false; // an ended session shows by another's id alone
    bool slow_server = false;         // one server is slow with each answer
    bool refusals = false;            // one server refuses every session's identity
    bool throttled_barriers = false;  // a server that was cut off throttles its first requests
    bool shares = false;              // readers of a session share a ticket
    bool handles = false;             // held locks get further handles
    bool single_nodes = false;        // one more path has a lock of one node
    bool semaphores = false;          // one more path has a semaphore
    bool part_deletions = false;      // nodes of the semaphore are deleted by themselves
    bool limit_changes = false;       // the semaphore's limit changes, and it is removed
    bool surveys = false;             // processes ask who stands in line
    bool downgrades = false;          // writers become readers
    bool upgrades = false;            // readers try to become writers
    bool curator_names = false;       // the lines are those of Curator's read-write locks
    bool brief_connects = false; // connecting has a short limit, and is asked for again and again
    bool every_kind = false;     // beside the rest some locks of each kind, and several as one
    bool busy_beside = false;    // there are many locks of every_kind
    bool waiting_deletions = false; // tickets that wait are deleted by an operator, again and again
    bool lost_events = false;       // servers lose some watch events
    bool exists_needs_read = false; // `exists` needs the right to READ, as in ZooKeeper 3.9.3
    bool states_tick = false;       // processes know the servers' tick
    bool far_reads = false;         // the second in line counts as far from the front
    bool optimized_watches = false; // servers keep deletions back: tickets watch their data
    bool crowds = false;            // so many nodes stand before tickets that these are far
    bool limited_holds = false;     // some locks may be held for a limited time
    bool counts = false;            // holders write under their locks
    bool followers = false;         // processes follow the leaders of lines
    bool yields = false;            // processes ask holders to yield, and wait to be asked
    bool kept_beside = false;       // no session may delete nodes beside the lock paths
    bool made_together = false;     // one transaction has made both lines' paths
    bool newly_proved = false; // a holder is left alone just when its lease is proved, and holds on
    unsigned late_pings = 0;   // the leader's pings are late by at most so many eighths of a tick

    static fault_plan drawn_from(std::uint64_t seed);
    /// How late, in eighths of a tick, the leader's pings may be for the lease rule to stand.
    unsigned lateness_borne() const;
    /// Whether nothing happens that could leave a watch behind: one release wakes one waiter.
    bool is_calm() const;
    /// Whether nothing goes wrong, whatever users do.
    bool harms_nobody() const;
    std::string str() const;
};

} // namespace turnstile::test
