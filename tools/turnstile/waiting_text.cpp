// SPDX-License-Identifier: BSL-1.0
#include "waiting_text.hpp"

#include "holder_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

namespace turnstile::command {

namespace {

constexpr std::string_view dots = "...";

/// Whether it is no first byte of a character in UTF-8.
bool continues(char each) { return (static_cast<unsigned char>(each) & 0xC0U) == 0x80U; }

/// Shorter by so much at least, or empty.
std::string begin_of(const std::string& text, std::size_t excess) {
    auto kept = text.size() - std::min(text.size(), excess + dots.size());
    while (kept > 0 && continues(text[kept]))
        --kept;
    return kept == 0 ? std::string() : text.substr(0, kept).append(dots);
}

/// Shorter by so much at least, or but dots.
std::string end_of(const std::string& text, std::size_t excess) {
    auto from = std::min(text.size(), excess + dots.size());
    while (from < text.size() && continues(text[from]))
        ++from;
    return std::string(dots).append(text, from);
}

std::string whole_text(const std::string& path, const std::vector<participant>& line) {
    const auto ahead = waiting_ahead(line);
    return fmt::format("waiting for {}{}: {}", path,
                       ahead == 0 ? "" : fmt::format(", {} ahead", ahead), holder_text(line));
}

} // namespace

std::string waiting_text(const std::string& path, std::vector<participant> line, std::size_t most) {
    auto text = whole_text(path, line);
    const auto holder = std::ranges::find_if(line, &participant::holds);
    if (text.size() > most && holder != line.end()) {
        holder->label = begin_of(holder->label, text.size() - most);
        text = whole_text(path, line);
    }
    if (text.size() > most)
        text = whole_text(end_of(path, text.size() - most), line);
    return text.substr(0, most);
}

} // namespace turnstile::command
