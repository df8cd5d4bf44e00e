#include "verdict.hpp"

#include <utility>

namespace turnstile::check {

void verdict::add(std::string rule, std::string text) {
    ++violations;
    if (details.size() < most_details) {
        details.push_back({std::move(rule), std::move(text)});
    }
}

namespace {

/// Milliseconds; nothing is shown as 0, and not as 0E0.
boost::json::value shown(double ms) {
    return ms == 0 ? boost::json::value(0) : boost::json::value(ms);
}

} // namespace

boost::json::object verdict::summary() const {
    return {{"acquisitions", acquisitions},
            {"faults", faults},
            {"leader_kills", leader_kills},
            {"process_faults", process_faults},
            {"overlap_ms", shown(overlap_ms)},
            {"false_losses", false_losses},
            {"stale_refused", stale_refused},
            {"stale_accepted", stale_accepted},
            {"orphans", orphans},
            {"violations", violations},
            {"overlap_sum_ms", shown(overlap_sum_ms)},
            {"excused_overlap_ms", shown(excused_overlap_ms)},
            {"tickets", tickets},
            {"undone", undone}};
}

} // namespace turnstile::check
