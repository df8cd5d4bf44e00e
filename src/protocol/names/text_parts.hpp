// SPDX-License-Identifier: BSL-1.0
// Reads words and numbers from the front of a text, and writes numbers behind one.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace turnstile::protocol {

/// Removes this text from the front. False: the front is another text, and stays.
inline bool take_text(std::string_view& from, std::string_view text) {
    if (!from.starts_with(text))
        return false;
    from.remove_prefix(text.size());
    return true;
}

/// Removes the digits at the front, and stores their value. False: there are none, or the value
/// does not fit. Then `value` stays.
template <class Number>
bool take_number(std::string_view& from, Number& value, int base = 10) {
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), value, base);
    from.remove_prefix(static_cast<std::size_t>(end - from.data()));
    return error == std::errc{};
}

/// The number that is the whole text. Nothing if the text is anything else, or the number does not
/// fit.
template <class Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
    Number value{};
    return take_number(text, value, base) && text.empty() ? std::optional(value) : std::nullopt;
}

inline void append_hexadecimal(std::string& to, std::uint64_t value) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
    to.append(digits.data(), end);
}

} // namespace turnstile::protocol
