// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/ticket_data.hpp"

#include "protocol/names/text_parts.hpp"

#include <algorithm>
#include <cstddef>

namespace turnstile::protocol {

namespace {

constexpr std::string_view beginning = "turnstile=1\nrequest=";
static_assert(ticket_data::current_version == 1);

std::string_view first_line(std::string_view data) { return data.substr(0, data.find('\n')); }

// What stands behind `key` in the first line that begins with it.
std::optional<std::string_view> find_value(std::string_view data, std::string_view key) {
    while (!data.empty()) {
        const auto line = first_line(data);
        if (line.starts_with(key))
            return line.substr(key.size());
        data.remove_prefix(std::min(data.size(), line.size() + 1));
    }
    return std::nullopt;
}

std::optional<int> version_of(std::string_view data) {
    constexpr std::string_view key = "turnstile=";
    const auto line = first_line(data);
    if (!line.starts_with(key)) { // the form before versions began with the request
        const bool old = !value_of(line, "request=").empty();
        return old ? std::optional(0) : std::nullopt;
    }
    const auto version = number_of<int>(line.substr(key.size()));
    return version.value_or(0) < 1 ? std::nullopt : version;
}

// In one line, and back.
std::string escaped(std::string_view value) {
    std::string text;
    for (const char c : value)
        if (c == '\n')
            text += "%n";
        else
            text.append(c == '%' ? 2 : 1, c);
    return text;
}

std::string unescaped(std::string_view text) {
    std::string value;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool escape = text[at] == '%' && at + 1 < text.size();
        if (escape)
            ++at;
        value += escape && text[at] == 'n' ? '\n' : text[at];
    }
    return value;
}

} // namespace

std::string_view value_of(std::string_view data, std::string_view key) {
    return find_value(data, key).value_or(std::string_view());
}

void append_line(std::string& text, std::string_view key, std::string_view value) {
    text.append(key);
    const auto begin = static_cast<std::ptrdiff_t>(text.size());
    text.append(value).append(1, '\n');
    std::replace_if(
        text.begin() + begin, text.end() - 1, [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

std::optional<ticket_data> ticket_data::parse(std::string_view data) {
    const auto version = version_of(data);
    if (!version)
        return std::nullopt;
    return ticket_data{.version = *version,
                       .request = std::string(value_of(data, "request=")),
                       .host = std::string(value_of(data, "host=")),
                       .process = std::string(value_of(data, "pid=")),
                       .label = std::string(value_of(data, "label=")),
                       .value = unescaped(value_of(data, "value="))};
}

ticket_data_writer::ticket_data_writer(const ticket_data& session) : same_lines_("\n") {
    append_line(same_lines_, "host=", session.host);
    append_line(same_lines_, "pid=", session.process);
    if (!session.label.empty())
        append_line(same_lines_, "label=", session.label);
}

std::string ticket_data_writer::str(std::string_view request, std::string_view value) const {
    std::string text;
    text.reserve(beginning.size() + request.size() + same_lines_.size());
    text.append(beginning).append(request).append(same_lines_);
    if (!value.empty())
        text.append("value=").append(escaped(value)).append(1, '\n');
    return text;
}

bool is_marked_clear(std::string_view data) {
    return version_of(data).has_value() && value_of(data, "clear=") == "1";
}

std::string_view request_of(std::string_view data) { return value_of(data, "request="); }

} // namespace turnstile::protocol
