// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/ticket_name.hpp"

#include "protocol/names/text_parts.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

constexpr std::size_t sequence_digits = 10;

// At least as long as turn-<16>-down-read-lock-<10>: a name is made in one allocation.
constexpr std::size_t longest_name = 48;

constexpr std::string_view curator_writer = "__WRIT__";
constexpr std::string_view curator_reader = "__READ__";

std::string_view suffix_of(const ticket_name& of) {
    if (of.naming == ticket_naming::curator)
        return of.kind == ticket_kind::shared ? "-__READ__" : "-__WRIT__";
    if (of.downgraded)
        return "-down-read-lock-";
    return of.kind == ticket_kind::shared ? "-read-lock-" : "-lock-";
}

// As the server does: with zeros up to ten characters, one of which may be a minus sign.
void append_sequence(std::string& to, std::int32_t sequence) {
    const auto digits = std::to_string(std::abs(std::int64_t{sequence}));
    to.append(sequence < 0 ? "-" : "");
    const auto width = sequence < 0 ? sequence_digits - 1 : sequence_digits;
    to.append(width - std::min(width, digits.size()), '0').append(digits);
}

void append_prefix(std::string& to, const ticket_name& of) {
    to.append(of.is_protected ? "turn-" : "open-");
    append_hexadecimal(to, static_cast<std::uint64_t>(of.incarnation));
    to.append(suffix_of(of));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The ten digits at the end. Nothing if a sign is among them, from a counter that has overflown.
std::optional<std::int32_t> sequence_of(std::string_view child) {
    if (child.size() < sequence_digits)
        return std::nullopt;
    const auto digits = child.substr(child.size() - sequence_digits);
    return is_digit(digits.front()) ? number_of<std::int32_t>(digits) : std::nullopt;
}

// Whether the name without its number is x-<session>-, as ZooKeeper's recipes make it.
bool is_recipe_name(std::string_view stem) {
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

std::string ticket_name::prefix() const {
    std::string text;
    text.reserve(longest_name);
    append_prefix(text, *this);
    return text;
}

std::string ticket_name::str() const {
    auto text = prefix();
    append_sequence(text, sequence);
    return text;
}

std::string ticket_name::prefix_under(std::string_view lock_path) const {
    std::string text;
    text.reserve(lock_path.size() + 1 + longest_name);
    text.append(lock_path).push_back('/');
    append_prefix(text, *this);
    return text;
}

std::string ticket_name::under(std::string_view lock_path) const {
    auto text = prefix_under(lock_path);
    append_sequence(text, sequence);
    return text;
}

std::optional<ticket_name> ticket_name::parse(std::string_view name) {
    ticket_name result;
    const auto sequence = sequence_of(name);
    if (!sequence)
        return std::nullopt;
    result.sequence = *sequence;
    auto rest = name.substr(0, name.size() - sequence_digits);
    result.is_protected = !rest.starts_with("open-");
    std::uint64_t incarnation = 0;
    if (!take_text(rest, result.is_protected ? "turn-" : "open-") ||
        !take_number(rest, incarnation, 16))
        return std::nullopt;
    result.incarnation = static_cast<std::int64_t>(incarnation);
    result.downgraded = rest == "-down-read-lock-";
    if (rest.ends_with("__"))
        result.naming = ticket_naming::curator;
    if (result.downgraded || rest == "-read-lock-" || rest == "-__READ__")
        result.kind = ticket_kind::shared;
    // A name in another spelling than ours is refused: no two names may mean one ticket.
    return result.str() == name ? std::optional(result) : std::nullopt;
}

std::int32_t appended_sequence(std::string_view path) {
    auto begin = path.find_last_not_of("0123456789") + 1;
    const auto before = path.substr(0, begin);
    if (before.ends_with("--") || before.ends_with("_-")) // the end of the prefix, and a sign
        --begin;
    return number_of<std::int32_t>(path.substr(begin)).value_or(-1);
}

std::optional<contender> parse_contender(std::string_view child) {
    const auto sequence = sequence_of(child);
    if (!sequence)
        return std::nullopt;
    contender result{.sequence = *sequence};
    const auto stem = child.substr(0, child.size() - sequence_digits);
    const auto ends_with = [&](std::string_view word) { return stem.ends_with(word); };
    const bool by_curator = ends_with(curator_writer) || ends_with(curator_reader);
    const bool may_be_ours = ends_with("lock-") || by_curator;
    if (!may_be_ours && !ends_with("__lock__") && !ends_with("__rlock__") && !is_recipe_name(stem))
        return std::nullopt;
    result.ours = may_be_ours && (stem.starts_with("turn-") || stem.starts_with("open-"));
    if (by_curator)
        result.naming = ticket_naming::curator;
    if (ends_with("__rlock__") || ends_with(curator_reader) ||
        (result.ours && ends_with("-read-lock-")))
        result.kind = ticket_kind::shared;
    return result;
}

} // namespace turnstile::protocol
