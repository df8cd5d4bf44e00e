// SPDX-License-Identifier: BSL-1.0
#include <turnstile/fencing_token.hpp>

#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>

namespace turnstile {

namespace {

constexpr std::size_t width = 16;
constexpr std::size_t length = width + 1 + width;

// Exactly the digits that str() writes: others would not sort as strings.
std::optional<std::uint64_t> read(std::string_view digits) {
    constexpr std::string_view allowed = "0123456789abcdef";
    if (digits.find_first_not_of(allowed) != std::string_view::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
}

} // namespace

std::string fencing_token::str() const {
    std::array<char, length + 1> text{};
    std::snprintf(text.data(), text.size(), "%016" PRIx64 "-%016" PRIx64, czxid_, count_);
    return {text.data(), length};
}

std::optional<fencing_token> fencing_token::parse(std::string_view text) {
    if (text.size() != length || text[width] != '-')
        return std::nullopt;
    const auto czxid = read(text.substr(0, width));
    const auto count = read(text.substr(width + 1));
    if (!czxid || !count)
        return std::nullopt;
    return fencing_token(*czxid, *count);
}

} // namespace turnstile
