// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/semaphore_names.hpp"

#include "protocol/names/text_parts.hpp"

namespace turnstile::protocol {

namespace {

constexpr std::string_view limit_heading = "turnstile-semaphore=1\nlimit=";
constexpr std::size_t permit_digits = 10; // the server appends as many

} // namespace

std::string limit_text(std::uint32_t limit) {
    return std::string(limit_heading) + std::to_string(limit) + '\n';
}

std::optional<std::uint32_t> parse_limit(std::string_view data) {
    std::uint32_t limit = 0;
    if (!take_text(data, limit_heading) || !take_number(data, limit, 10) || !data.starts_with('\n'))
        return std::nullopt;
    return limit;
}

std::string permit_name::prefix() const {
    std::string text = tried ? "try-" : "take-";
    append_hexadecimal(text, static_cast<std::uint64_t>(incarnation));
    text += '-';
    append_hexadecimal(text, static_cast<std::uint64_t>(session));
    text += '-';
    append_hexadecimal(text, attempt);
    return text += "-lease-";
}

std::optional<permit_name> permit_name::parse(std::string_view name) {
    permit_name result{.tried = name.starts_with("try-")};
    std::uint64_t incarnation = 0;
    std::uint64_t session = 0;
    if (!take_text(name, result.tried ? "try-" : "take-") || !take_number(name, incarnation, 16) ||
        !take_text(name, "-") || !take_number(name, session, 16) || !take_text(name, "-") ||
        !take_number(name, result.attempt, 16) || !take_text(name, "-lease-") ||
        name.size() != permit_digits || name.find_first_not_of("0123456789") != name.npos ||
        !take_number(name, result.sequence, 10))
        return std::nullopt;
    result.incarnation = static_cast<std::int64_t>(incarnation);
    result.session = static_cast<std::int64_t>(session);
    return result;
}

} // namespace turnstile::protocol
