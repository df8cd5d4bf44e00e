#include "protocol/names/server_list.hpp"

#include "protocol/names/lock_path.hpp"

#include <algorithm>
#include <charconv>

namespace turnstile::protocol {

namespace {

constexpr std::string_view host_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
constexpr std::string_view ipv6_characters = "0123456789abcdefABCDEF:.";

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0)
        return std::nullopt;
    return port;
}

std::optional<server_address> parse_address(std::string_view entry) {
    server_address result;
    std::string_view rest;
    if (entry.starts_with('[')) {
        const auto close = entry.find(']');
        if (close == entry.npos)
            return std::nullopt;
        result.host = entry.substr(1, close - 1);
        rest = entry.substr(close + 1);
        const auto zone = std::min(result.host.find('%'), result.host.size());
        if (result.host.find_first_not_of(ipv6_characters) < zone ||
            result.host.find_first_not_of(
                host_characters, std::min(zone + 1, result.host.size())) != std::string::npos)
            return std::nullopt;
    } else {
        const auto colon = std::min(entry.find(':'), entry.size());
        result.host = entry.substr(0, colon);
        rest = entry.substr(colon);
        if (result.host.find_first_not_of(host_characters) != std::string::npos)
            return std::nullopt;
    }
    if (result.host.empty() || result.host.size() > 253)
        return std::nullopt;
    if (rest.empty())
        return result;
    const auto port = rest.front() == ':' ? parse_port(rest.substr(1)) : std::nullopt;
    if (!port)
        return std::nullopt;
    result.port = *port;
    return result;
}

} // namespace

std::string server_address::str() const {
    const auto end = ':' + std::to_string(port);
    if (host.find(':') == host.npos)
        return host + end;
    return '[' + host + ']' + end;
}

std::optional<server_list> server_list::parse(std::string_view text) {
    server_list result;
    const auto slash = std::min(text.find('/'), text.size());
    result.chroot = text.substr(slash);
    if (result.chroot == "/")
        result.chroot.clear();
    if (!is_valid_chroot(result.chroot))
        return std::nullopt;
    auto entries = text.substr(0, slash);
    for (;;) {
        const auto comma = entries.find(',');
        auto address = parse_address(entries.substr(0, comma));
        if (!address)
            return std::nullopt;
        result.servers.push_back(std::move(*address));
        if (comma == entries.npos)
            return result;
        entries.remove_prefix(comma + 1);
    }
}

} // namespace turnstile::protocol
