// SPDX-License-Identifier: BSL-1.0
// What stands in a line of a history.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::check {

/// Also of `0x...`; empty if it is none.
std::optional<std::int64_t> parse_hex(std::string_view text);

namespace line_fields {

/// Of words and of numbers; throws std::runtime_error if there is no such field.
[[nodiscard]] std::string text(const boost::json::object& line, std::string_view field);
[[nodiscard]] std::int64_t hex(const boost::json::object& line, std::string_view field);
/// The czxid of a fencing token; its other part is 0 today, and nothing else is understood.
[[nodiscard]] std::int64_t token(const boost::json::object& line, std::string_view field);
[[nodiscard]] std::int64_t number(const boost::json::object& line, std::string_view field,
                                  std::int64_t otherwise);

[[nodiscard]] bool is_server(std::string_view target);

/// 2 of "server-2" and "proxy-2", which stands before it; 0 of anything else.
[[nodiscard]] std::uint64_t number_of_server(std::string_view target);

} // namespace line_fields
} // namespace turnstile::check
