// What the suite measures. Each returns its rows: one of Turnstile's, and those of the bare client
// that it was measured against, as Debian ships it and with its socket calls redirected.
#pragma once

#include "lock_choice.hpp"
#include "row.hpp"
#include "target.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::bench {

struct limit_api;

/// The bare C client alone: create, exists, delete, set-and-delete, and the latter to the watch
/// event on another session.
rows measure_limit(const target& server, std::size_t iterations);

/// The names of the kinds of lock that the scenarios below take.
std::vector<std::string> names_of_locks();

/// Acquire and release of a free lock, and the acquire alone, against what the bare client does for
/// it (limit_pair.hpp).
rows measure_uncontended(const target& server, const lock_choice& lock, std::size_t iterations);

/// `waiters` coroutines in line over `sessions` sessions; from the call of release to the
/// resumption of the next holder's coroutine. With `readers` all of them read, behind one writer:
/// from the call of its release to the resumption of the last. A line that is shorter than
/// `hand_offs` is drained several times.
rows measure_wakeup(const target& server, const lock_choice& lock, std::size_t waiters,
                    std::size_t sessions, std::size_t hand_offs = 1000);
rows measure_readers(const target& server, std::size_t readers, std::size_t sessions);

/// So many pairs of acquire and release of a free lock and nothing else, for a tool to count what
/// they cost; the same of the bare client's create and set-and-delete.
void run_pairs(const target& server, std::size_t pairs);
void run_limit_pairs(const target& server, std::size_t pairs, const limit_api& through);

/// Instructions, allocations and system calls of such pairs, by callgrind and strace: the median
/// of so many repeats.
rows measure_cost(const target& server, std::size_t pairs, std::size_t repeats);

/// Warms the server's JIT compiler up, so that the first scenario does not pay for the others.
void warm_up(const target& server, std::size_t rounds);

int threads_of(const std::string& process); // its id, or "self"
inline int threads_of_this_process() { return threads_of("self"); }

} // namespace turnstile::bench
