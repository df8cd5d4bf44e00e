// SPDX-License-Identifier: BSL-1.0
// Rule "observer": what each observer of an election was told last is the leader of the end, and it
// was never told of an older leader after a newer one.
#include "rules.hpp"

#include <string>

namespace turnstile::check {

void check_observers(const evidence& given, verdict& out) {
    for (const auto& each : given.told.observations) {
        ++out.observers;
        if (each.went_back != 0)
            out.add("observer", each.who + " of " + each.lock + ": told " +
                                    std::to_string(each.went_back) +
                                    " times of a leader that was older than the one before");
        const auto at_end = given.told.leaders.find(each.lock);
        if (at_end == given.told.leaders.end()) {
            out.add("history", "incomplete: nobody looked who leads " + each.lock);
            continue;
        }
        const auto& leader = at_end->second; // who proclaims nothing
        if (each.token != leader.token || each.session != leader.session || !each.value.empty()) {
            ++out.observers_wrong;
            out.add("observer", each.who + " of " + each.lock + ": ended with another leader");
        }
    }
    if (out.observers == 0 && !given.told.leaders.empty())
        out.add("history", "incomplete: nobody observed an election to the end");
}

} // namespace turnstile::check
