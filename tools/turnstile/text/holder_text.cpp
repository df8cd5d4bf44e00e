// SPDX-License-Identifier: BSL-1.0
#include "text/holder_text.hpp"

#include "program/ticket_program.hpp"
#include "text/human_text.hpp"
#include "text/printable.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace turnstile::command {

std::string process_text(const std::string& host, const std::string& pid,
                         const std::string& label) {
    return fmt::format("{} (pid {}{})", shown_name(host), shown_name(pid),
                       label.empty() ? "" : fmt::format(", \"{}\"", shown_name(label)));
}

std::string name_text(const participant& who) {
    if (who.known != participant::knowledge::answered)
        return printable(who.node);
    if (who.host.empty())
        return printable(fmt::format("{}'s {}", program_of(who), who.node));
    return process_text(who.host, who.pid, who.label);
}

std::string holder_text(const std::vector<participant>& line) {
    const auto holds = [](const participant& each) { return each.holds; };
    const auto first = std::ranges::find_if(line, holds);
    if (first == line.end())
        return "nobody holds it";
    auto result = "held by " + name_text(*first);
    // No node says when it became the holder, so the time includes its wait.
    if (first->known == participant::knowledge::answered)
        result += fmt::format(", in line for {}", text_of(first->age()));
    if (const auto others = std::ranges::count_if(line, holds) - 1; others > 0)
        result += fmt::format(", and {} more", others);
    return result;
}

std::size_t waiting_ahead(const std::vector<participant>& line) {
    const auto own = std::ranges::find_if(line, [](const auto& each) { return each.handles > 0; });
    return static_cast<std::size_t>(
        std::count_if(line.begin(), own, [](const auto& each) { return !each.holds; }));
}

} // namespace turnstile::command
