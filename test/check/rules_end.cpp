// SPDX-License-Identifier: BSL-1.0
// Rules "history" and "served", by what stands at the end of a history: it is complete, each worker
// has ended in order, and by the counts of workers and schedule all waiters were served.
#include "rules.hpp"

#include <string>

namespace turnstile::check {

void check_complete(const evidence& given, verdict& out) {
    if (out.acquisitions == 0)
        out.add("history", "nothing was acquired, which proves nothing");
    if (given.told.schedule_lines.empty())
        return;
    for (const char* kind : {"settings", "heal", "served", "left", "counters", "end"}) {
        if (given.told.schedule_lines.count(kind) == 0) {
            out.add("history",
                    std::string{"incomplete: the schedule's line \""} + kind + "\" is missing");
        }
    }
}

void check_workers(const evidence& given, verdict& out) {
    for (const auto& worker : given.told.workers) {
        if (worker.stopped == never && worker.killed == never)
            out.add("history", worker.name + " was neither stopped nor killed");
        if (worker.outstanding != 0) {
            out.add("served", worker.name + " ended with " + std::to_string(worker.outstanding) +
                                  " waiters that were not served");
        }
    }
    if (given.told.outstanding != 0) {
        out.add("served", std::to_string(given.told.outstanding) +
                              " waiters were not served after all was healed");
    }
}

} // namespace turnstile::check
