// SPDX-License-Identifier: BSL-1.0
// What may happen in a simulated run: one value for each fault, and for each kind of work.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::test {

/// The faults and the kinds of work of one run. Each seed draws some of them, so that each fault is
/// seen alone, too. `simulation` owns the plan of its run. A fault may happen there only if its
/// value is true. test/README.md explains the words for faults.
struct fault_plan {
    // Connections.
    bool cuts = false;
    bool repeated_cuts = false; // a connection that broke breaks again and again
    bool black_holes = false;
    bool outages = false;        // no server takes connections for a while
    bool holds = false;          // creates are held back on their way, past a reconnect
    bool brief_connects = false; // connecting has a short limit, and is asked for again and again
    bool lost_events = false;    // servers lose some watch events

    // Servers. Partitions, partitioned holders and lag need the ensemble.
    bool ensemble = false; // three servers, and not one
    bool server_crashes = false;
    bool server_pauses = false;
    bool partitions = false; // a server is cut off from the others, in one direction or both
    bool lag = false;
    bool partitioned_holders = false; // a holder is left alone with a server that is cut off
    bool holder_returns = false;      // such a holder is cut, and returns to its server
    bool newly_proved = false;        // a holder is left alone just when its lease is proved, and
                                      // holds on
    bool impatient = false;           // a follower leaves its leader at once, which leads on for
                                      // some ticks
    bool throttles = false;           // for a while a server sends back half of what it is asked
    bool throttled_barriers = false;  // a server that was cut off throttles its first requests
    bool slow_server = false;         // one server is slow with each answer
    bool refusals = false;            // one server refuses every session's identity
    bool optimized_watches = false;   // servers keep deletions back: tickets watch their data
    bool exists_needs_read = false;   // `exists` needs the right to READ, as in ZooKeeper 3.9.3
    unsigned ticks = 4;               // how many ticks a session timeout has
    bool states_tick = false;         // processes know how long a tick is
    unsigned late_pings = 0; // the leader's pings are late by at most so many eighths of a tick

    // Processes.
    bool client_crashes = false;
    bool client_pauses = false;

    // Operators and other programs.
    bool session_ends = false;        // an operator ends sessions
    bool silent_session_ends = false; // a client is not told of the end: it gets a new session
    bool path_deletions = false;      // empty lock paths are deleted
    bool ticket_deletions = false;    // an operator deletes tickets
    bool waiting_deletions = false;   // an operator deletes tickets that wait, again and again
    bool part_deletions = false;      // nodes of the semaphore are deleted by themselves
    bool foreign_tickets = false;     // tickets of other programs stand in line, and are set
    bool foreign_twins = false;       // other programs' nodes get names of tickets that are gone
    bool crowds = false;              // so many foreign nodes come that tickets behind them are far
    bool denials = false;             // at one path no session may read, or set, or create
    bool delete_denials = false;      // for a while no session may DELETE in a lock path
    bool read_denials = false;        // for a while no session may READ a lock path
    bool create_denials = false;      // for a while no session may CREATE in a lock path
    bool kept_beside = false;         // no session may delete nodes beside the lock paths

    // Which locks there are.
    bool single_path = false;   // all use one line
    bool made_together = false; // one transaction has made both lines' paths
    bool curator_names = false; // the lines are those of Curator's read-write locks
    bool single_nodes = false;  // one more path has a lock of one node
    bool semaphores = false;    // one more path has a semaphore
    bool every_kind = false;    // beside the rest some locks of each kind, and several as one
    bool busy_beside = false;   // there are many locks of every_kind

    // What users do.
    bool readers = false;
    bool cancels = false;
    bool cancels_in_doubt = false; // at the end all connections break, and users give up as these
                                   // return
    bool shares = false;           // readers of a session share a ticket
    bool handles = false;          // held locks get further handles
    bool downgrades = false;       // writers become readers
    bool upgrades = false;         // readers try to become writers
    bool limited_holds = false;    // some locks may be held for a limited time
    bool limit_changes = false;    // the semaphore's limit changes, and it is removed
    bool counts = false;           // holders write under their locks
    bool surveys = false;          // processes ask who stands in line
    bool followers = false;        // processes follow the leaders of lines
    bool yields = false;           // processes ask holders to yield, and wait to be asked

    // Settings of the sessions.
    bool small_budget = false; // a session has few bytes for its tickets
    bool brief_rests = false;  // idle lines are forgotten between two answers
    bool far_reads = false;    // the second in line counts as far from the front

    static fault_plan drawn_from(std::uint64_t seed);
    /// The longest lateness of the leader's pings with which the lease rule stands, in eighths of a
    /// tick.
    unsigned lateness_borne() const;
    /// Whether nothing happens that could leave a watch behind, so that a release wakes one waiter.
    bool is_calm() const;
    /// Whether the plan has work of users alone, and no fault.
    bool harms_nobody() const;
    /// The names of what it has, for a seed that failed.
    std::string str() const;
};

} // namespace turnstile::test
