// SPDX-License-Identifier: BSL-1.0
// The servers of a session, as text: "zk1:2181,zk2:2181,[::1]:2181/chroot".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turnstile::protocol {

struct server_address {
    std::string host; // a name, or a numeric address without brackets
    std::uint16_t port = 2181;
    bool operator==(const server_address&) const = default;
    /// The host as certificates and Kerberos name it: without the last dot of an absolute name.
    std::string name() const {
        return host.ends_with('.') ? host.substr(0, host.size() - 1) : host;
    }
    /// "host:port", with brackets around a host that has colons.
    std::string str() const;
};

/// What the user writes as `servers`. It is checked before any I/O.
struct server_list {
    std::vector<server_address> servers; // at least one
    std::string chroot;                  // empty, or begins with a slash

    /// Nothing if the text is not a server list; wrong_with() says why. A missing port is 2181.
    static std::optional<server_list> parse(std::string_view text);
    /// What is wrong with the text, and what to write instead; empty if it is a server list.
    static std::string wrong_with(std::string_view text);
};

} // namespace turnstile::protocol
