#include "protocol/ticket_data.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

void append_line(std::string& text, std::string_view key, std::string_view value) {
    text.append(key).append(1, '=');
    for (const char c : value)
        text.push_back(c == '\n' || c == '\r' ? ' ' : c);
    text.push_back('\n');
}

} // namespace

std::string ticket_data::str() const {
    std::string text;
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
