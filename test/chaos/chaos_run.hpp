// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fault_kinds.hpp"
#include "lock_choice.hpp"
#include "run_clock.hpp"
#include "run_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace turnstile::chaos {

/// The counts of a run that are known without the checker. turnstile-chaos prints them as one line
/// of JSON. judge() compares them with what a run must have, and fills `failures`.
struct run_result {
    std::uint64_t acquisitions = 0;
    std::array<std::uint64_t, lock_sort_names.size()> by_sort{}; ///< acquisitions by kind of lock
    std::uint64_t least_acquisitions = 0; ///< a run with fewer proves nothing
    std::uint64_t several = 0;            ///< acquisitions as parts of a multi_lock
    std::uint64_t leases = 0;             ///< of `several`: leases of a semaphore
    std::uint64_t readers = 0;            ///< acquisitions to read
    std::uint64_t downgrades = 0;         ///< writers that became readers
    std::uint64_t upgrades = 0;           ///< readers that became writers
    std::uint64_t increments = 0;         ///< guarded writes that raised a counter by one
    std::uint64_t yields = 0; ///< holds that ended sooner, since another contender had asked
    std::size_t faults = 0;   ///< all faults, also those of the next three counts
    std::size_t connection_faults = 0;
    std::size_t leader_crashes = 0;
    std::size_t process_faults = 0;
    fault_tally kinds{};
    std::size_t not_served = 0;        ///< contenders without an acquisition after the last fault
    std::size_t guard_ended = 0;       ///< sessions of killed workers that the guard has ended
    std::size_t hostile_ends = 0;      ///< ends of hostile processes that the guard has seen
    std::size_t tickets_left = 0;      ///< tickets that still stood when all workers had closed
    std::uint64_t stale_refused = 0;   ///< writes with an old token that the fenced store refused
    bool namespaces = false;           ///< servers were in network namespaces, and could be parted
    std::vector<std::string> failures; ///< why the run proves nothing
};

/// Runs servers, workers and the schedule of faults, and leaves histories and the servers' data in
/// the folder. `worker` is the program turnstile-chaos-worker. To be called on the main thread.
[[nodiscard]] run_result run_chaos(const run_options& how, const std::filesystem::path& worker);

/// Ends the faults of the run under way; the run then comes to its end as usual. May be called in a
/// signal handler.
void interrupt_chaos() noexcept;

} // namespace turnstile::chaos
