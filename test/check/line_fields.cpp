// SPDX-License-Identifier: BSL-1.0
#include "line_fields.hpp"

#include <boost/json/value_to.hpp>

#include <charconv>
#include <stdexcept>

namespace turnstile::check {

std::optional<std::int64_t> parse_hex(std::string_view text) {
    if (text.starts_with("0x"))
        text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

namespace line_fields {

std::string text(const boost::json::object& line, std::string_view field) {
    const auto* value = line.if_contains(field);
    if (value == nullptr)
        throw std::runtime_error{"no field \"" + std::string{field} + '"'};
    if (value->is_string())
        return std::string{value->as_string()};
    return std::to_string(value->to_number<std::int64_t>()); // ids are numbers or words
}

std::int64_t hex(const boost::json::object& line, std::string_view field) {
    const auto value = parse_hex(text(line, field));
    if (!value)
        throw std::runtime_error{"no hexadecimal number in \"" + std::string{field} + '"'};
    return *value;
}

std::int64_t token(const boost::json::object& line, std::string_view field) {
    const auto both = text(line, field);
    const auto czxid = parse_hex(std::string_view{both}.substr(0, 16));
    if (both.size() != 33 || both.substr(16) != "-0000000000000000" || !czxid)
        throw std::runtime_error{"no fencing token in \"" + std::string{field} + '"'};
    return *czxid;
}

std::int64_t number(const boost::json::object& line, std::string_view field,
                    std::int64_t otherwise) {
    const auto* value = line.if_contains(field);
    return value == nullptr ? otherwise : value->to_number<std::int64_t>();
}

bool is_server(std::string_view target) { return target.starts_with("server"); }

std::uint64_t number_of_server(std::string_view target) {
    for (const std::string_view prefix : {"server-", "proxy-"}) {
        if (target.starts_with(prefix)) {
            std::uint64_t result = 0;
            (void)std::from_chars(target.data() + prefix.size(), target.data() + target.size(),
                                  result);
            return result;
        }
    }
    return 0;
}

} // namespace line_fields
} // namespace turnstile::check
