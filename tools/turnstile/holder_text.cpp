#include "holder_text.hpp"

#include "human_text.hpp"
#include "ticket_program.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace turnstile::command {

namespace {

std::string name_of(const participant& who) {
    if (who.known != participant::knowledge::told)
        return who.node;
    if (who.host.empty())
        return fmt::format("{}'s {}", program_of(who), who.node);
    const auto label = who.label.empty() ? "" : fmt::format(", \"{}\"", who.label);
    return fmt::format("{} (pid {}{})", who.host, who.pid, label);
}

} // namespace

std::string holder_text(const std::vector<participant>& line) {
    const auto own = std::ranges::find_if(line, [](const auto& each) { return each.handles > 0; });
    const auto holds = [](const participant& each) { return each.holds; };
    const auto holders = std::count_if(line.begin(), line.end(), holds);
    const auto waiters = own - line.begin() - std::count_if(line.begin(), own, holds);
    const auto queue = own == line.end() ? fmt::format("{} wait", waiters)
                                         : fmt::format("{} wait before you", waiters);
    if (holders == 0)
        return "nobody holds it, " + queue;
    const auto& first = *std::ranges::find_if(line, holds);
    auto result = "held by " + name_of(first);
    if (holders > 1)
        result += fmt::format(" and {} more", holders - 1);
    if (first.known == participant::knowledge::told)
        result += fmt::format(" since {} ({})", text_of(first.created), text_of(first.age()));
    return result + ", " + queue;
}

} // namespace turnstile::command
