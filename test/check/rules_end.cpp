// SPDX-License-Identifier: BSL-1.0
// Rules "history" and "served": whether all was told, and what the schedule and the workers count.
#include "rules.hpp"

#include <string>

namespace turnstile::check {

void check_complete(const evidence& e, verdict& out) {
    if (out.acquisitions == 0)
        out.add("history", "nothing was acquired, which proves nothing");
    if (e.told.schedule_lines.empty())
        return;
    for (const char* kind : {"settings", "heal", "served", "left", "counters", "end"}) {
        if (e.told.schedule_lines.count(kind) == 0) {
            out.add("history",
                    std::string{"incomplete: the schedule's line \""} + kind + "\" is missing");
        }
    }
}

void check_workers(const evidence& e, verdict& out) {
    for (const auto& w : e.told.workers) {
        if (w.stopped == never && w.killed == never)
            out.add("history", w.name + " was neither stopped nor killed");
        if (w.outstanding != 0) {
            out.add("served", w.name + " ended with " + std::to_string(w.outstanding) +
                                  " waiters that were not served");
        }
    }
    if (e.told.outstanding != 0) {
        out.add("served", std::to_string(e.told.outstanding) +
                              " waiters were not served after all was healed");
    }
}

} // namespace turnstile::check
