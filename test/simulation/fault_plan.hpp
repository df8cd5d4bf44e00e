// What may happen in a simulated run.
#pragma once

#include <cstdint>
#include <string>

namespace turnstile::test {

/// A seed draws a part of it, so that each fault is also seen alone.
struct fault_plan {
    // Connections.
    bool cuts = false;
    bool hangs = false;
    bool outages = false;      // no server takes connections for a while
    bool late_creates = false; // held back on their way, past a reconnect
    // Servers; with one alone, only the second.
    bool ensemble = false;
    bool server_crashes = false;
    bool server_pauses = false;
    bool partitions = false; // a server cut off from the others, in one direction or both
    bool lag = false;
    bool sieges = false;    // a holder is left alone with a server that was cut off
    bool impatient = false; // followers leave a leader at once, which goes on for its ticks
    // Processes.
    bool crashes = false;
    bool pauses = false;
    // Other hands.
    bool kills = false;      // sessions ended by an operator
    bool reaps = false;      // empty lock paths are deleted
    bool deletions = false;  // tickets deleted by an operator
    bool foreigners = false; // tickets of other programs stand in line, and are set
    bool denials = false;    // in one path nobody may read, or set, or create
    // Users.
    bool readers = false;
    bool cancels = false;
    bool small_budget = false;
    bool single_path = false;
    unsigned ticks = 4;       // of a session timeout
    bool brief_rests = false; // idle lines are forgotten between two answers
    bool doubts = false;      // at the end all connections break, and users give up as they return
    bool returns = false;     // in a siege the connection breaks, and the same server takes it back
    bool kept_tickets = false;    // for a while nobody may DELETE in a lock path
    bool twins = false;           // other programs' nodes get names of tickets that are gone
    bool light = false;           // some sessions beat with `sync`
    bool all_light = false;       // and all of them
    bool stutters = false;        // a connection that broke breaks again and again
    bool throttles = false;       // for a while a server sends back half of what it is asked
    bool hidden = false;          // for a while nobody may READ a lock path
    bool silent_expiries = false; // an ended session shows by another's id alone
    bool brief_connects = false;  // connecting has a short limit, and is asked for again and again

    static fault_plan drawn_from(std::uint64_t seed);
    /// Nothing happens that could leave a watch behind: one release wakes one waiter.
    bool is_calm() const;
    /// Users do what they like, and nothing goes wrong.
    bool harms_nobody() const;
    /// A leader may go on without its majority.
    bool parts_servers() const;
    std::string str() const;
};

} // namespace turnstile::test
