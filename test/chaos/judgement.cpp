// SPDX-License-Identifier: BSL-1.0
#include "judgement.hpp"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace turnstile::chaos {
namespace {

constexpr double least_per_second = 112;      // 20,000 in three minutes
constexpr double least_per_second_long = 278; // 500,000 in half an hour, or longer

// Shares of the least acquisitions that a run must reach.
constexpr double least_of_a_sort = 0.01;   // of one kind of lock, and of parts of several
constexpr double least_of_leases = 0.0025; // as parts of several
constexpr double least_of_readers = 0.005; // and of writers beside them
constexpr double least_of_increments = 0.005;
constexpr double least_of_changes = 0.0005; // of downgrades, and of upgrades: 10 in three minutes
constexpr double least_of_yields = 0.0001;  // 2 in three minutes; holds are short, some 15 yield

constexpr double minutes_for_all_kinds = 3;
constexpr double minutes_for_stale_writes = 10; // three have some ten, and may have none

/// The least rate of a mix, as a share of the rates above, which are those of the mutex alone. It
/// is at least four fifths of the share that was measured on a quiet machine: 0.60 with readers and
/// writers, 0.53 with semaphores, 0.58 with all kinds (docs/internals/results.md). All kinds made
/// 0.76 of the long rate in half an hour. Several locks are held until the last of them is there.
double share_of(lock_mix mix) {
    switch (mix) {
    case lock_mix::shared:
        return 0.48;
    case lock_mix::semaphore:
        return 0.43;
    case lock_mix::several:
        return 0.5;
    case lock_mix::guarded:
        return 0.4;
    case lock_mix::election:
        return 0.3;
    case lock_mix::all:
        return 0.6;
    case lock_mix::mutex:
    case lock_mix::single_node:
        break;
    }
    return 1;
}

/// Whether the count is that share of the least acquisitions.
bool reaches(const run_result& result, std::uint64_t count, double share) {
    return static_cast<double>(count) >= static_cast<double>(result.least_acquisitions) * share;
}

void require_readers(run_result& result) {
    const auto writers =
        result.by_sort[static_cast<std::size_t>(lock_sort::shared)] - result.readers;
    const std::array<std::tuple<const char*, std::uint64_t, double>, 4> all{{
        {"readers", result.readers, least_of_readers},
        {"writers beside readers", writers, least_of_readers},
        {"writers that became readers", result.downgrades, least_of_changes},
        {"readers that became writers", result.upgrades, least_of_changes},
    }};
    for (const auto& [who, count, share] : all)
        if (!reaches(result, count, share))
            result.failures.push_back(std::string{"too few "} + who + ": " + std::to_string(count));
}

/// Enough was acquired of each kind of lock that the run has.
void require_locks(const run_options& how, run_result& result) {
    const auto& locks = how.locks;
    const auto require = [&result](bool has_it, std::uint64_t count, double share,
                                   const std::string& what) {
        if (has_it && !reaches(result, count, share))
            result.failures.push_back(what + ": " + std::to_string(count));
    };
    for (std::size_t i = 0; i < result.by_sort.size(); ++i)
        require(locks.has(static_cast<lock_sort>(i)), result.by_sort[i], least_of_a_sort,
                std::string{"too little was acquired of kind "} + lock_sort_names[i]);
    const bool takes_several = locks.size() > 1 && !has_one_sort(locks.mix);
    require(takes_several, result.several, least_of_a_sort,
            "too few parts of several were acquired");
    require(takes_several && locks.has(lock_sort::semaphore), result.leases, least_of_leases,
            "too few parts of several were semaphores");
    require(locks.has(lock_sort::guarded), result.increments, least_of_increments,
            "too few increments of counters");
    // Parts of several locks are neither downgraded nor upgraded, and heed no request to yield.
    const bool takes_single = locks.mix != lock_mix::several;
    if (takes_single && locks.has(lock_sort::shared))
        require_readers(result);
    require(takes_single && locks.has(lock_sort::election), result.yields, least_of_yields,
            "too few holders yielded");
}

void require_all_kinds(run_result& result) {
    for (std::size_t i = 0; i < result.kinds.size(); ++i) {
        const auto kind = static_cast<fault_kind>(i);
        if (result.kinds[i] == 0 && (result.namespaces || !parts_servers(kind)))
            result.failures.push_back(std::string{"never happened: "} + name_of(kind));
    }
}

} // namespace

std::uint64_t least_acquisitions_of(const run_options& how) {
    if (how.least_acquisitions != 0)
        return how.least_acquisitions;
    const double rate = how.minutes >= 30 ? least_per_second_long : least_per_second;
    return static_cast<std::uint64_t>(how.minutes * 60 * rate * share_of(how.locks.mix));
}

void judge(const run_options& how, run_result& result) {
    require_locks(how, result);
    const auto require = [&result](bool good, const std::string& otherwise) {
        if (!good)
            result.failures.push_back(otherwise);
    };
    const auto require_rate = [&](std::size_t count, double per_minute, const char* what) {
        require(how.quiet || static_cast<double>(count) >= per_minute * how.minutes,
                std::string{"too few "} + what + ": " + std::to_string(count));
    };
    require(result.acquisitions >= result.least_acquisitions,
            "too little was acquired to prove anything: " + std::to_string(result.acquisitions) +
                " of " + std::to_string(result.least_acquisitions));
    require_rate(result.faults, 72, "faults");
    require_rate(result.connection_faults, 60, "connection faults");
    require_rate(result.leader_crashes, 6, "leader crashes");
    require_rate(result.process_faults, 6, "process faults");
    // A killed worker had one or two sessions. The guard cannot end those in time where it is
    // paused itself, or no server answers.
    const auto crashes = result.kinds[index_of(fault_kind::client_crash)];
    require(how.guard.empty() || how.quiet || 2 * result.guard_ended >= crashes,
            "the guard ended too few sessions: " + std::to_string(result.guard_ended) + " of " +
                std::to_string(crashes) + " workers that were killed");
    require(how.guard.empty() || how.quiet || how.minutes < minutes_for_all_kinds ||
                ::geteuid() != 0 || result.hostile_ends > 0,
            "no hostile user reached the guard");
    if (!how.quiet && how.minutes >= minutes_for_all_kinds)
        require_all_kinds(result);
    require(how.quiet || how.minutes < minutes_for_stale_writes || result.stale_refused > 0 ||
                how.locks.mix == lock_mix::guarded, // whose writes carry no token
            "the fenced store had no stale write to refuse");
}

} // namespace turnstile::chaos
