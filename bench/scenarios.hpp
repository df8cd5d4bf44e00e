// SPDX-License-Identifier: BSL-1.0
// What the suite measures. Each returns its rows: one of Turnstile's, and those of the bare client
// that it was measured against, as Debian ships it and with its socket calls redirected.
#pragma once

#include "lock_choice.hpp"
#include "row.hpp"
#include "target.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::bench {

struct bare_api;

/// The bare C client alone: create, exists, delete, set-and-delete, and the latter to the watch
/// event on another session.
rows measure_bare_client(const target& server, std::size_t iterations);

/// The names of the kinds of lock that the scenarios below take.
std::vector<std::string> names_of_locks();
/// Turnstile, and the other ways to wait (strategies/).
std::vector<std::string> names_of_strategies();
/// The lock that such a way is measured with.
lock_choice choice_of_strategy(const std::string& name);
/// The longest line of a herd. What says why a longer one is not measured; empty otherwise.
inline constexpr std::size_t largest_herd = 1000;
std::string why_not_measured(const lock_choice& lock, std::size_t waiters);

/// Acquire and release of a free lock, and the acquire alone, against what the bare client does for
/// it (bare_pair.hpp).
rows measure_uncontended(const target& server, const lock_choice& lock, std::size_t iterations);

constexpr std::size_t warm_hand_offs = 1000;
constexpr std::size_t hand_offs_for_p99 = 5000; // fifty of them are beyond it
constexpr std::size_t cold_hand_offs = 400;     // fewer, since they take their time

/// A line of coroutines.
struct line_choice {
    std::size_t waiters = 1;
    std::size_t sessions = 1; // over so many
    /// A line that is shorter than that is drained several times.
    std::size_t hand_offs = warm_hand_offs;
    /// Before each hand-off, and before each of the bare client's, everybody rests for so long;
    /// zero: nobody does.
    std::chrono::milliseconds rest{};
    /// Before the line is drained everybody waits for so long: sessions far from the front write
    /// nothing meanwhile.
    std::chrono::seconds wait{};
};

/// From the call of release to the resumption of the next holder's coroutine. With `readers` all of
/// them read, behind one writer: from the call of its release to the resumption of the last.
rows measure_wakeup(const target& server, const lock_choice& lock, const line_choice& line);
rows measure_readers(const target& server, std::size_t readers, std::size_t sessions);

/// Acquire and release of `locks` different mutexes over one session, `inflight` of them at once,
/// against the same transactions of the bare client at the same depth.
rows measure_throughput(const target& server, std::size_t locks, std::size_t inflight,
                        std::size_t pairs);

/// Resident memory of a coroutine that waits for a mutex, each with a ticket of its own, all over
/// one session. For a process that has done nothing else.
rows measure_memory(const target& server, std::size_t waiters);

/// Half of so many waiters, chosen at random, are cancelled at once: until all have been told and
/// their tickets are gone. Against the bare client, which deletes as many nodes in one flight.
rows measure_storm(const target& server, std::size_t waiters, std::size_t sessions);

struct death_choice {
    std::chrono::milliseconds timeout{4000};
    std::size_t rounds = 5;          ///< where the session has to expire
    std::size_t guarded_rounds = 20; ///< where a guard ends it, or the command itself
    std::string command = TURNSTILE_COMMAND;
};

/// From the kill of the process that holds a lock to the first line of the next one
/// (`run_exclusively`), which needs the end of the dead one's session. And from the kill to the
/// lock of the same program, started anew.
rows measure_death(const target& server, const death_choice& how);
/// That process: returns only if it fails. `guard`: the socket of one, or empty.
void hold_until_killed(const target& server, std::chrono::milliseconds timeout,
                       const std::string& guard);

/// From SIGTERM to the process that leads (`run_exclusively`) to the next leader's first line, so
/// many times.
rows measure_leaders(const target& server, std::size_t rounds);
/// That process.
void lead_until_told(const target& server);

/// A guarded write of one node, against the bare client's transaction of a check and a set.
rows measure_guarded(const target& server, std::size_t iterations);

/// From a change of leader, and from a proclaim, to the last of the observers of one election.
rows measure_observe(const target& server, std::size_t observers, std::size_t sessions,
                     std::size_t rounds);

/// From the create of a request to yield to the holder's handler, against two round trips of the
/// bare client, and from the call that asks. And what an acquire and release cost where nobody
/// asks.
rows measure_yield(const target& server, std::size_t iterations);

/// So many sessions that each hold a lock: what the server hears from them, and computes for them,
/// while nothing happens. Needs the server's counters.
rows measure_idle(const target& server, std::size_t holders, std::chrono::seconds rest);

/// So many pairs of acquire and release of a free lock and nothing else, for a tool to count what
/// they cost; the same of the bare client's create and set-and-delete.
void run_pairs(const target& server, std::size_t pairs);
void run_limit_pairs(const target& server, std::size_t pairs, const bare_api& through);

/// Instructions, allocations and system calls of such pairs, by callgrind and strace: the median
/// of so many repeats.
rows measure_cost(const target& server, std::size_t pairs, std::size_t repeats);

/// Warms the server's JIT compiler up, so that the first scenario does not pay for the others.
void warm_up(const target& server, std::size_t rounds);

int threads_of(const std::string& process); // its id, or "self"
inline int threads_of_this_process() { return threads_of("self"); }

} // namespace turnstile::bench
