// SPDX-License-Identifier: BSL-1.0
#include <turnstile/fencing_token.hpp>

#include "protocol/names/text_parts.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace turnstile {

namespace {

constexpr std::size_t width = 16;
constexpr std::size_t length = width + 1 + width;

} // namespace

std::string fencing_token::str() const {
    std::array<char, length + 1> text{};
    std::snprintf(text.data(), text.size(), "%016" PRIx64 "-%016" PRIx64, czxid_, count_);
    return {text.data(), length};
}

std::optional<fencing_token> fencing_token::parse(std::string_view text) {
    if (text.size() != length)
        return std::nullopt;
    const auto czxid = protocol::number_of<std::uint64_t>(text.substr(0, width), 16);
    const auto count = protocol::number_of<std::uint64_t>(text.substr(width + 1), 16);
    if (!czxid || !count)
        return std::nullopt;
    const fencing_token result(*czxid, *count);
    return result.str() == text ? std::optional(result) : std::nullopt; // others would not sort
}

} // namespace turnstile
