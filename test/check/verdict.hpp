// SPDX-License-Identifier: BSL-1.0
// The verdict of a check: counts, and the rules that the run broke.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::check {

/// Milliseconds as JSON. Zero is written as 0, and not as 0E0.
inline boost::json::value shown(double ms) {
    return ms == 0 ? boost::json::value(0) : boost::json::value(ms);
}

/// A rule that a run broke, and where.
struct violation {
    std::string rule; ///< one word, see checker.hpp
    std::string text;
};

/// check_run() (checker.hpp) makes it. Each rule adds its violations, and counts what it sees.
struct verdict {
    std::uint64_t acquisitions = 0;
    std::uint64_t tickets = 0; ///< created, by the transaction logs
    std::uint64_t faults = 0;
    std::uint64_t leader_crashes = 0;
    std::uint64_t process_faults = 0;
    double overlap_ms = 0;          ///< longest overlap of two beliefs that nothing excuses
    double overlap_sum_ms = 0;      ///< the sum of all such overlaps
    double excused_overlap_ms = 0;  ///< longest, even if a pause or another program excuses it
    std::uint64_t false_losses = 0; ///< losses though a server could have answered
    std::uint64_t lost_for_want_of_proof = 0; ///< these, and those that faults explain
    std::uint64_t stale_refused = 0;          ///< writes, by the store
    std::uint64_t stale_accepted = 0;         ///< likewise
    std::uint64_t increments = 0;             ///< of counters, answered as done
    std::uint64_t open_increments = 0;        ///< nobody knows whether they were done
    std::uint64_t refused_increments = 0;     ///< refused by the server, or never sent
    std::uint64_t lost_or_stale_writes = 0;
    std::uint64_t observers = 0;       ///< of elections, to the end
    std::uint64_t observers_wrong = 0; ///< they ended with another leader
    std::uint64_t orphans = 0;
    std::uint64_t notices = 0; ///< sent by the servers
    std::uint64_t notices_allowed = 0;
    std::uint64_t undone = 0; ///< grants by tickets that the ensemble answered, and did not keep
    std::uint64_t joins = 0;  ///< grants by the ticket of another reader
    std::uint64_t marks = 0;  ///< readers' marks that no writer stands before them
    std::uint64_t downgrades = 0; ///< by the transaction logs
    std::uint64_t upgrades = 0;   ///< by what the workers wrote
    std::uint64_t violations = 0;

    /// The first ones; `violations` counts all.
    std::vector<violation> details;

    void add(std::string rule, std::string text) {
        ++violations;
        if (details.size() < most_details)
            details.push_back({std::move(rule), std::move(text)});
    }
    /// The numbers that turnstile-check --json prints.
    [[nodiscard]] boost::json::object summary() const {
        return {{"acquisitions", acquisitions},
                {"faults", faults},
                {"leader_crashes", leader_crashes},
                {"process_faults", process_faults},
                {"overlap_ms", shown(overlap_ms)},
                {"false_losses", false_losses},
                {"stale_refused", stale_refused},
                {"stale_accepted", stale_accepted},
                {"increments", increments},
                {"lost_or_stale_writes", lost_or_stale_writes},
                {"observers", observers},
                {"observers_that_end_with_another_leader", observers_wrong},
                {"orphans", orphans},
                {"violations", violations}};
    }
    /// Other numbers, in words.
    [[nodiscard]] std::string remarks() const {
        std::ostringstream out;
        out << tickets << " tickets; beliefs overlapped for " << excused_overlap_ms
            << " ms at most, with pauses and foreign clients, and for " << overlap_sum_ms
            << " ms in all without; " << lost_for_want_of_proof
            << " losses for want of proof with the session alive; " << notices
            << " notifications where " << notices_allowed << " would do; " << joins
            << " readers joined another's ticket, " << marks << " marked theirs, " << downgrades
            << " writers became readers, and " << upgrades << " readers writers; "
            << open_increments << " increments whose outcome nobody knows, and "
            << refused_increments << " that were refused";
        return out.str();
    }

    static constexpr std::size_t most_details = 1000;
};

} // namespace turnstile::check
