// SPDX-License-Identifier: BSL-1.0
// Reads the fields of a line of a history, which is a JSON object.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace turnstile::check {

/// Reads a hexadecimal number, with `0x` before it or without; nothing if the text is none.
std::optional<std::int64_t> parse_hex(std::string_view text);

/// The first three throw std::runtime_error if the field is missing, or is something else.
namespace line_fields {

/// Returns a field as text, be it a string or a number.
[[nodiscard]] std::string text(const boost::json::object& line, std::string_view field);
/// Returns the number that a text field has in hexadecimal.
[[nodiscard]] std::int64_t hex(const boost::json::object& line, std::string_view field);
/// Returns the czxid of a fencing token. The token's other part must be 0, as it is today.
[[nodiscard]] std::int64_t token(const boost::json::object& line, std::string_view field);
/// Returns a number, or `otherwise` if the field is missing.
[[nodiscard]] std::int64_t number(const boost::json::object& line, std::string_view field,
                                  std::int64_t otherwise);

/// Whether a fault's target is a server, and no process or proxy.
[[nodiscard]] bool is_server(std::string_view target);

/// Returns 2 for "server-2" and for the proxy before it, "proxy-2"; 0 for anything else.
[[nodiscard]] std::uint64_t number_of_server(std::string_view target);

} // namespace line_fields
} // namespace turnstile::check
