#include "protocol/names/ticket_data.hpp"

#include <algorithm>
#include <cstddef>

namespace turnstile::protocol {

namespace {

void append_line(std::string& text, std::string_view key, std::string_view value) {
    text.append(key).append(1, '=');
    const auto begin = static_cast<std::ptrdiff_t>(text.size());
    text.append(value).append(1, '\n');
    std::replace_if(
        text.begin() + begin, text.end() - 1, [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

} // namespace

std::string ticket_data::str(std::string_view request) const {
    std::string text;
    text.reserve(64 + request.size() + host.size() + process.size() + label.size());
    append_line(text, "request", request);
    append_line(text, "host", host);
    append_line(text, "pid", process);
    if (!label.empty())
        append_line(text, "label", label);
    return text;
}

std::string_view request_of(std::string_view data) {
    constexpr std::string_view key = "request=";
    while (!data.empty()) {
        const auto line = data.substr(0, data.find('\n'));
        if (line.starts_with(key))
            return line.substr(key.size());
        data.remove_prefix(std::min(data.size(), line.size() + 1));
    }
    return {};
}

} // namespace turnstile::protocol
