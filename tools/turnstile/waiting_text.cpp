// SPDX-License-Identifier: BSL-1.0
#include "waiting_text.hpp"

#include "holder_text.hpp"
#include "printable.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace turnstile::command {

namespace {

std::string whole_text(const std::string& path, const std::vector<participant>& line) {
    const auto ahead = waiting_ahead(line);
    return fmt::format("waiting for {}{}: {}", path,
                       ahead == 0 ? "" : fmt::format(", {} ahead", ahead), holder_text(line));
}

} // namespace

std::string waiting_text(const std::string& path, std::vector<participant> line, std::size_t most) {
    auto text = whole_text(path, line);
    // How many columns of a part there is room for.
    const auto room = [&](const std::string& part) {
        const auto excess = columns_of(text) - std::min(columns_of(text), most);
        return columns_of(part) - std::min(columns_of(part), excess);
    };
    if (const auto holder = std::ranges::find_if(line, &participant::holds); holder != line.end()) {
        holder->label = shown_name(holder->label); // as it is shown
        holder->label = begin_of(holder->label, room(holder->label));
        text = whole_text(path, line);
    }
    return begin_of(whole_text(end_of(path, room(path)), line), most);
}

} // namespace turnstile::command
