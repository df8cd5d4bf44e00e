// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace turnstile::protocol {

namespace {

constexpr std::size_t sequence_digits = 10;

constexpr std::size_t word_length = 5; // of "turn-" and "open-"

constexpr std::string_view curator_writer = "__WRIT__";
constexpr std::string_view curator_reader = "__READ__";

std::string_view suffix_of(const ticket_name& of) {
    if (of.naming == ticket_naming::curator)
        return of.kind == ticket_kind::shared ? "-__READ__" : "-__WRIT__";
    if (of.downgraded)
        return "-down-read-lock-";
    return of.kind == ticket_kind::shared ? "-read-lock-" : "-lock-";
}

/// Puts a name together without memory of its own.
class name_text {
public:
    static name_text prefix_of(const ticket_name& of) {
        name_text text;
        text.append(of.guarded ? "turn-" : "open-");
        text.append_hexadecimal(of.incarnation);
        text.append(suffix_of(of));
        return text;
    }
    static name_text of(const ticket_name& whole) {
        auto text = prefix_of(whole);
        text.append_sequence(whole.sequence);
        return text;
    }
    static name_text hexadecimal(std::int64_t value) {
        name_text text;
        text.append_hexadecimal(value);
        return text;
    }

    operator std::string_view() const { return {bytes_.data(), size_}; } // NOLINT: it is one
    void write_under(std::string_view lock_path, std::string& to) const {
        to.clear();
        to.reserve(lock_path.size() + 1 + size_);
        to.append(lock_path).push_back('/');
        to.append(bytes_.data(), size_);
    }

private:
    void append(std::string_view word) {
        std::memcpy(bytes_.data() + size_, word.data(), word.size());
        size_ += word.size();
    }
    void append_hexadecimal(std::int64_t value) {
        const auto end = std::to_chars(bytes_.data() + size_, bytes_.data() + bytes_.size(),
                                       static_cast<std::uint64_t>(value), 16);
        size_ = static_cast<std::size_t>(end.ptr - bytes_.data());
    }
    // As the server does: ten digits, and past its counter's end a sign among them.
    void append_sequence(std::int32_t sequence) {
        std::array<char, sequence_digits> digits; // NOLINT: written right here
        const auto magnitude =
            static_cast<std::uint32_t>(std::abs(static_cast<std::int64_t>(sequence)));
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), magnitude);
        const std::string_view number(digits.data(), end.ptr);
        const std::string_view sign = sequence < 0 ? "-" : "";
        append(sign);
        append(std::string_view("000000000")
                   .substr(std::min(number.size() + sign.size(), sequence_digits) - 1));
        append(number);
    }

    std::array<char, word_length + 16 + 16 + sequence_digits + 1> bytes_;
    std::size_t size_ = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The sequence is exactly ten digits: an overflown counter prints a sign and is no contender.
std::optional<std::int32_t> sequence_of(std::string_view child) {
    if (child.size() < sequence_digits)
        return std::nullopt;
    const auto digits = child.substr(child.size() - sequence_digits);
    if (!std::all_of(digits.begin(), digits.end(), is_digit))
        return std::nullopt;
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

bool is_of_turnstile(std::string_view stem) {
    return stem.starts_with("turn-") || stem.starts_with("open-");
}

bool is_recipe_name(std::string_view stem) { // x-<session>-
    if (stem.size() < 4 || !stem.starts_with("x-") || !stem.ends_with('-'))
        return false;
    auto session = stem.substr(2, stem.size() - 3);
    if (session.starts_with('-')) // Java prints session ids as signed numbers
        session.remove_prefix(1);
    return !session.empty() && session.find_first_not_of("0123456789abcdefABCDEF") == session.npos;
}

} // namespace

ticket_name ticket_name::as_downgraded() const {
    auto result = *this;
    result.kind = ticket_kind::shared;
    result.downgraded = true;
    return result;
}

std::string ticket_name::prefix() const { return std::string(name_text::prefix_of(*this)); }

std::string ticket_name::str() const { return std::string(name_text::of(*this)); }

std::string ticket_name::prefix_under(std::string_view lock_path) const {
    std::string text;
    write_prefix_under(lock_path, text);
    return text;
}

std::string ticket_name::under(std::string_view lock_path) const {
    std::string text;
    write_under(lock_path, text);
    return text;
}

void ticket_name::write_prefix_under(std::string_view lock_path, std::string& to) const {
    name_text::prefix_of(*this).write_under(lock_path, to);
}

void ticket_name::write_under(std::string_view lock_path, std::string& to) const {
    name_text::of(*this).write_under(lock_path, to);
}

std::size_t ticket_name::length() const {
    const auto bits = std::bit_width(static_cast<std::uint64_t>(incarnation) | 1);
    return word_length + static_cast<std::size_t>(bits + 3) / 4 + suffix_of(*this).size() +
           sequence_digits;
}

std::optional<ticket_name> ticket_name::parse(std::string_view name) {
    ticket_name result;
    const auto sequence = sequence_of(name);
    if (!sequence)
        return std::nullopt;
    result.sequence = *sequence;
    auto rest = name.substr(0, name.size() - sequence_digits);
    if (rest.starts_with("open-"))
        result.guarded = false;
    else if (!rest.starts_with("turn-"))
        return std::nullopt;
    rest.remove_prefix(word_length);
    std::uint64_t incarnation = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), incarnation, 16);
    if (error != std::errc{} || end == rest.data())
        return std::nullopt;
    result.incarnation = static_cast<std::int64_t>(incarnation);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (rest.substr(0, digits) != name_text::hexadecimal(result.incarnation))
        return std::nullopt; // another name than ours, which no two may mean
    rest.remove_prefix(digits);
    result.downgraded = rest == "-down-read-lock-";
    if (rest.ends_with("__"))
        result.naming = ticket_naming::curator;
    if (result.downgraded || rest == "-read-lock-" || rest == "-__READ__")
        result.kind = ticket_kind::shared;
    return rest == suffix_of(result) ? std::optional(result) : std::nullopt;
}

std::int32_t appended_sequence(std::string_view path) {
    const auto* const end = path.data() + path.size();
    const auto* digits = end;
    while (digits != path.data() && is_digit(digits[-1]))
        --digits;
    if (digits == end)
        return -1;
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    std::int64_t value = 0;
    for (const auto* next = digits; next != end && value <= most; ++next)
        value = value * 10 + (*next - '0');
    // The prefix's end, and a sign.
    const auto before = path.substr(0, static_cast<std::size_t>(digits - path.data()));
    if (before.ends_with("--") || before.ends_with("_-"))
        value = -value;
    return value > most || value < -most - 1 ? -1 : static_cast<std::int32_t>(value);
}

std::optional<contender> parse_contender(std::string_view child) {
    const auto sequence = sequence_of(child);
    if (!sequence)
        return std::nullopt;
    contender result{.sequence = *sequence};
    const auto stem = child.substr(0, child.size() - sequence_digits);
    if (stem.ends_with("lock-")) {
        result.ours = is_of_turnstile(stem);
        if (result.ours && stem.ends_with("-read-lock-"))
            result.kind = ticket_kind::shared;
        return result;
    }
    if (stem.ends_with(curator_writer) || stem.ends_with(curator_reader)) {
        result.ours = is_of_turnstile(stem);
        result.naming = ticket_naming::curator;
        if (stem.ends_with(curator_reader))
            result.kind = ticket_kind::shared;
        return result;
    }
    if (stem.ends_with("__lock__"))
        return result;
    if (stem.ends_with("__rlock__")) {
        result.kind = ticket_kind::shared;
        return result;
    }
    if (is_recipe_name(stem))
        return result;
    return std::nullopt;
}

} // namespace turnstile::protocol
