// SPDX-License-Identifier: BSL-1.0
#include "protocol/names/server_list.hpp"

#include "protocol/names/lock_path.hpp"
#include "protocol/names/text_parts.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

constexpr std::string_view host_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
constexpr std::string_view ipv6_characters = "0123456789abcdefABCDEF:.";

constexpr std::string_view decimal_digits = "0123456789";
constexpr std::string_view blanks = " \t\r\n";
constexpr std::size_t longest_host = 253; // of DNS

// Says why a part of the text is refused. The whole text is shown beside this, so a long part is
// cut.
std::string refusal(std::string_view part, std::string_view why) {
    constexpr std::size_t most = 80;
    return '"' + std::string(part.substr(0, most)) + (part.size() > most ? "...\" " : "\" ") +
           std::string(why);
}

bool consists_of(std::string_view text, std::string_view characters) {
    return text.find_first_not_of(characters) == text.npos;
}

// A number up to 255, without leading zeros.
bool is_octet(std::string_view text) {
    return number_of<unsigned>(text).value_or(256) <= 255 &&
           (text.size() == 1 || text.front() != '0');
}

// No name ends in a number. The resolver takes such a text for an IPv4 address even if it does not
// have four parts: "2181" is 0.0.8.133.
bool ends_in_number(std::string_view host) {
    const auto last = host.substr(host.rfind('.') + 1); // npos + 1 is 0
    return !last.empty() &&
           (consists_of(last, decimal_digits) || last.starts_with("0x") || last.starts_with("0X"));
}

bool is_ipv4(std::string_view host) {
    for (int part = 0; part < 3; ++part) {
        const auto dot = host.find('.');
        if (dot == host.npos || !is_octet(host.substr(0, dot)))
            return false;
        host.remove_prefix(dot + 1);
    }
    return is_octet(host);
}

// Also with a zone, as in fe80::1%eth0.
bool is_ipv6(std::string_view host) {
    const auto zone = std::min(host.find('%'), host.size());
    return host.find(':') < zone && consists_of(host.substr(0, zone), ipv6_characters) &&
           (zone == host.size() || consists_of(host.substr(zone + 1), host_characters));
}

// The read_ functions return why a part is refused, or the empty text. `entry`: the text of one
// server.

std::string read_port(std::string_view entry, std::string_view text, std::uint16_t& port) {
    if (text.empty())
        return refusal(entry, "has no port behind its colon: write one, or leave the colon out");
    port = number_of<std::uint16_t>(text).value_or(0);
    if (port == 0)
        return refusal(entry, "has a port that is no number from 1 to 65535");
    return {};
}

std::string read_host(std::string_view entry, std::string_view host) {
    if (host.empty())
        return refusal(entry, "has no host in front of its colon");
    // The last dot of a name is not looked up. "." would so be no name, which any certificate has.
    if (host.size() > longest_host || !consists_of(host, host_characters) || host == ".")
        return refusal(entry, "is no host: a name has letters, digits, '.', '-' and '_', and at "
                              "most 253 of them");
    if (ends_in_number(host) && !is_ipv4(host))
        return refusal(entry, "is no host: write a name or a whole address, as in 10.0.0.1:2181");
    return {};
}

std::string read_address(std::string_view entry, server_address& into) {
    if (entry.empty())
        return "there is a comma too many: nothing stands beside it";
    std::string_view rest;
    std::string wrong;
    if (entry.starts_with('[')) {
        const auto close = std::min(entry.find(']'), entry.size());
        into.host = entry.substr(1, close - 1);
        rest = entry.substr(std::min(close + 1, entry.size()));
        if (close == entry.size() || !is_ipv6(into.host) || into.host.size() > longest_host ||
            (!rest.empty() && rest.front() != ':'))
            wrong = refusal(entry, "is no IPv6 address in brackets, as in [::1]:2181");
    } else {
        const auto colon = std::min(entry.find(':'), entry.size());
        into.host = entry.substr(0, colon);
        rest = entry.substr(colon);
        if (rest.find(':', 1) != rest.npos && is_ipv6(entry))
            wrong = refusal(entry, "is an IPv6 address: write it in brackets, as in [::1]:2181");
        else
            wrong = read_host(entry, into.host);
    }
    if (!wrong.empty() || rest.empty())
        return wrong;
    return read_port(entry, rest.substr(1), into.port);
}

// A chroot has no comma: such a text is taken for a list in which each server has a chroot.
std::string read_chroot(std::string_view text, std::string& into) {
    if (text.find(',') != text.npos)
        return "the chroot stands once, at the end: host:port,host:port/chroot";
    if (text == "/")
        return {};
    if (text.ends_with('/'))
        return refusal(text, "is a chroot with a slash at its end: leave that out");
    if (!is_valid_chroot(text))
        return refusal(text, "is no chroot: no empty part, no '.' or '..', no control character, "
                             "at most 1024 bytes of UTF-8, outside /zookeeper");
    into = text;
    return {};
}

// Finds slips that concern the text as a whole. Returns what is wrong, or the empty text.
std::string find_slip(std::string_view text) {
    if (text.empty())
        return "it is empty";
    for (const auto quote : {'"', '\''})
        if (text.front() == quote || text.back() == quote)
            return "the quotes are part of the text: leave them out";
    if (const auto scheme = text.find("://"); scheme != text.npos && text.find('/') == scheme + 1)
        return refusal(text.substr(0, scheme + 3), "is not needed: a server list is no URL");
    if (blanks.find(text.back()) != blanks.npos || blanks.find(text.front()) != blanks.npos)
        return "there is a blank or a line break at its beginning or end: take that away";
    if (text.find_first_of(blanks) != text.npos)
        return "there is a blank in it: separate the servers by commas alone";
    if (text.find(';') != text.npos)
        return "separate the servers by commas, not by ';'";
    return {};
}

std::string read_list(std::string_view text, server_list& into) {
    if (auto wrong = find_slip(text); !wrong.empty())
        return wrong;
    const auto slash = std::min(text.find('/'), text.size());
    if (auto wrong = read_chroot(text.substr(slash), into.chroot); !wrong.empty())
        return wrong;
    auto entries = text.substr(0, slash);
    for (;;) {
        const auto comma = entries.find(',');
        if (auto wrong = read_address(entries.substr(0, comma), into.servers.emplace_back());
            !wrong.empty())
            return wrong;
        if (comma == entries.npos)
            return {};
        entries.remove_prefix(comma + 1);
    }
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
    return read_list(text, result).empty() ? std::optional(std::move(result)) : std::nullopt;
}

std::string server_list::wrong_with(std::string_view text) {
    server_list read;
    return read_list(text, read);
}

} // namespace turnstile::protocol
