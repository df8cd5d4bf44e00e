// SPDX-License-Identifier: BSL-1.0
// The fields of a line of a history.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::check {

/// Reads a number, even as `0x...`; nothing if the text is none.
std::optional<std::int64_t> parse_hex(std::string_view text);

namespace line_fields {

/// Returns a field as text, be it a string or a number. Throws std::runtime_error if it is missing.
[[nodiscard]] std::string text(const boost::json::object& line, std::string_view field);
[[nodiscard]] std::int64_t hex(const boost::json::object& line, std::string_view field);
/// The czxid of a fencing token. The token's other part must be 0, as it always is today.
[[nodiscard]] std::int64_t token(const boost::json::object& line, std::string_view field);
[[nodiscard]] std::int64_t number(const boost::json::object& line, std::string_view field,
                                  std::int64_t otherwise);

[[nodiscard]] bool is_server(std::string_view target);

/// Returns 2 for "server-2" and for the proxy before it, "proxy-2"; 0 for anything else.
[[nodiscard]] std::uint64_t number_of_server(std::string_view target);

} // namespace line_fields
} // namespace turnstile::check
