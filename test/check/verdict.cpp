// SPDX-License-Identifier: BSL-1.0
#include "verdict.hpp"

#include <sstream>
#include <utility>

namespace turnstile::check {

void verdict::add(std::string rule, std::string text) {
    ++violations;
    if (details.size() < most_details)
        details.push_back({std::move(rule), std::move(text)});
}

namespace {

/// Writes milliseconds. Zero is shown as 0, and not as 0E0.
boost::json::value shown(double ms) {
    return ms == 0 ? boost::json::value(0) : boost::json::value(ms);
}

} // namespace

boost::json::object verdict::summary() const {
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

std::string verdict::remarks() const {
    std::ostringstream out;
    out << tickets << " tickets; beliefs overlapped for " << excused_overlap_ms
        << " ms at most, with pauses and foreign clients, and for " << overlap_sum_ms
        << " ms in all without; " << lost_for_want_of_proof
        << " losses for want of proof with the session alive; " << notices
        << " notifications where " << notices_allowed << " would do; " << joins
        << " readers joined another's ticket, " << marks << " marked theirs, " << downgrades
        << " writers became readers, and " << upgrades << " readers writers; " << open_increments
        << " increments whose outcome nobody knows, and " << refused_increments
        << " that were refused";
    return out.str();
}

} // namespace turnstile::check
