// SPDX-License-Identifier: BSL-1.0
#include "line_changes.hpp"

#include "ticket_program.hpp"

#include <iterator>
#include <utility>

namespace turnstile::command {

std::vector<line_change> line_changes::look(std::vector<participant> line) {
    std::vector<line_change> holds;
    std::vector<line_change> waits;
    std::map<std::string, participant> now;
    for (auto& each : line) {
        if (each.known == participant::knowledge::gone || is_stray(each))
            continue; // it left while it was asked about, or never was in line
        auto before = known_.extract(each.node);
        if (before.empty() || before.mapped().holds != each.holds)
            (each.holds ? holds : waits).push_back({each.holds ? "holds" : "waits", each});
        auto name = each.node;
        // Far behind in a line a look does not ask for details: keep the known ones.
        if (!before.empty() && each.known != participant::knowledge::answered &&
            before.mapped().known == participant::knowledge::answered) {
            before.mapped().holds = each.holds;
            each = std::move(before.mapped());
        }
        now.emplace(std::move(name), std::move(each));
    }
    std::vector<line_change> result;
    for (auto& [name, who] : known_)
        result.push_back({"left", std::move(who)});
    known_ = std::move(now);
    for (auto* const part : {&holds, &waits})
        result.insert(result.end(), std::make_move_iterator(part->begin()),
                      std::make_move_iterator(part->end()));
    return result;
}

} // namespace turnstile::command
