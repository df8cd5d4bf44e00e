// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/ticket_data.hpp"

#include "protocol/names/text_parts.hpp"

#include <algorithm>
#include <cstddef>

namespace turnstile::protocol {

namespace {

// All bytes behind this are the value.
constexpr std::string_view before_value = "\nvalue=";

std::string_view first_line(std::string_view data) { return data.substr(0, data.find('\n')); }

// What stands behind `key` in the first line that begins with it; nothing if no line does. `key`
// has its equals sign. The bytes of the value are no lines.
std::optional<std::string_view> find_value(std::string_view data, std::string_view key) {
    data = data.substr(0, data.find(before_value));
    while (!data.empty()) {
        const auto line = first_line(data);
        if (line.starts_with(key))
            return line.substr(key.size());
        data.remove_prefix(std::min(data.size(), line.size() + 1));
    }
    return std::nullopt;
}

// As find_value(), but empty if no line has the key.
std::string_view value_of(std::string_view data, std::string_view key) {
    return find_value(data, key).value_or(std::string_view());
}

// Nothing if another program wrote the data.
std::optional<int> version_of(std::string_view data) {
    constexpr std::string_view key = "turnstile=";
    const auto line = first_line(data);
    if (!line.starts_with(key)) { // before there were versions, the request came first
        const bool old = !value_of(line, "request=").empty();
        return old ? std::optional(0) : std::nullopt;
    }
    const auto version = number_of<int>(line.substr(key.size()));
    return version.value_or(0) < 1 ? std::nullopt : version;
}

// Appends `key` and `value` as one line: line breaks in the value become spaces.
void append_line(std::string& text, std::string_view key, std::string_view value) {
    text.append(key);
    const auto begin = static_cast<std::ptrdiff_t>(text.size());
    text.append(value).append(1, '\n');
    std::replace_if(
        text.begin() + begin, text.end() - 1, [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

} // namespace

std::optional<ticket_data> ticket_data::parse(std::string_view data) {
    const auto version = version_of(data);
    if (!version)
        return std::nullopt;
    const auto end_of_lines = std::min(data.find(before_value), data.size());
    return ticket_data{.version = *version,
                       .request = std::string(value_of(data, "request=")),
                       .host = std::string(value_of(data, "host=")),
                       .process = std::string(value_of(data, "pid=")),
                       .label = std::string(value_of(data, "label=")),
                       .ticket = std::string(value_of(data, "ticket=")),
                       .value = std::string(
                           data.substr(std::min(end_of_lines + before_value.size(), data.size())))};
}

std::string ticket_data::str(std::string_view of_request, std::string_view with_value,
                             std::string_view of_ticket) const {
    static_assert(current_version == 1);
    std::string text = "turnstile=1\n";
    append_line(text, "request=", of_request);
    append_line(text, "host=", host);
    append_line(text, "pid=", process);
    if (!label.empty())
        append_line(text, "label=", label);
    if (!of_ticket.empty())
        append_line(text, "ticket=", of_ticket);
    if (!with_value.empty())
        text.append(before_value.substr(1)).append(with_value);
    return text;
}

bool is_marked_clear(std::string_view data) {
    return version_of(data).has_value() && value_of(data, "clear=") == "1";
}

std::string_view request_of(std::string_view data) { return value_of(data, "request="); }

} // namespace turnstile::protocol
