// SPDX-License-Identifier: BSL-1.0
#include "text/printable.hpp"

#include <wchar.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace turnstile::command {

namespace {

/// One character of a text in UTF-8.
struct character {
    std::uint32_t value = 0;
    std::size_t length = 0; ///< how many bytes it has; 0: it is no UTF-8
};

/// Reads the first character of a text that is not empty.
character first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto lead = byte(0);
    if (lead < 0x80)
        return {lead, 1};
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
        return {};
    std::uint32_t value = lead & (0x7fU >> length);
    const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        value = value << 6U | (byte(i) & 0x3fU);
    }
    const bool is_half = value >= 0xd800 && value <= 0xdfff; // of a pair in UTF-16
    return value < least || is_half || value > 0x10ffff ? character{} : character{value, length};
}

bool is_printable(std::uint32_t c) {
    return c >= ' ' && (c < 0x7f || c > 0x9f)          // no control character of ASCII and Latin-1
           && c != 0x61c && c != 0x200e && c != 0x200f // no mark of a direction
           && (c < 0x2028 || c > 0x202e)               // no end of a line, no other direction
           && (c < 0x2066 || c > 0x2069);              // no isolated direction
}

std::size_t width_of(character each) {
    const int width = ::wcwidth(static_cast<wchar_t>(each.value));
    // Below zero: the character is newer than the C library.
    return width < 0 ? 1 : static_cast<std::size_t>(width);
}

constexpr std::string_view dots = "...";
constexpr std::size_t longest_name = 60;

} // namespace

std::string printable(const std::string& text) {
    std::string result;
    for (std::string_view rest = text; !rest.empty();) {
        const auto [value, length] = first_of(rest);
        if (length > 0 && is_printable(value))
            result.append(rest, 0, length);
        else
            result += '?';
        rest.remove_prefix(length > 0 ? length : 1);
    }
    return result;
}

std::size_t columns_of(const std::string& text) {
    std::size_t result = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const auto next = first_of(rest);
        result += width_of(next);
        rest.remove_prefix(std::max<std::size_t>(next.length, 1));
    }
    return result;
}

std::string begin_of(const std::string& text, std::size_t columns) {
    if (columns_of(text) <= columns)
        return text;
    if (columns <= dots.size())
        return {};
    std::size_t kept = 0;
    for (std::size_t room = columns - dots.size();;) {
        const auto next = first_of(std::string_view(text).substr(kept));
        if (width_of(next) > room)
            return text.substr(0, kept).append(dots);
        room -= width_of(next);
        kept += std::max<std::size_t>(next.length, 1);
    }
}

std::string bytes_of(const std::string& text, std::size_t most) {
    if (text.size() <= most)
        return text;
    auto kept = most - std::min(most, dots.size());
    while (kept > 0 && (static_cast<unsigned char>(text[kept]) & 0xc0U) == 0x80)
        --kept; // within a character
    return text.substr(0, kept).append(dots);
}

std::string end_of(const std::string& text, std::size_t columns) {
    if (columns_of(text) <= columns)
        return text;
    auto excess = columns_of(text) - (columns - std::min(columns, dots.size()));
    std::string_view rest = text;
    while (excess > 0 && !rest.empty()) {
        const auto next = first_of(rest);
        excess -= std::min(excess, width_of(next));
        rest.remove_prefix(std::max<std::size_t>(next.length, 1));
    }
    return std::string(dots).append(rest);
}

std::string shown_name(const std::string& text) { return begin_of(printable(text), longest_name); }

} // namespace turnstile::command
