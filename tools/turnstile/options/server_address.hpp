// SPDX-License-Identifier: BSL-1.0
// The parts of a list of servers.
#pragma once

#include <string>
#include <vector>

namespace turnstile::command {

struct server_address {
    std::string text{}; ///< as it stands in the list
    std::string host{}; ///< without the brackets of IPv6
    std::string port{};
};

struct server_addresses {
    std::vector<server_address> all{};
    std::string chroot{}; ///< with its slash; empty: none
};

/// Splits a list of the form HOST:PORT[,HOST:PORT...][/CHROOT]. It does not check the parts.
server_addresses addresses_of(const std::string& list);

} // namespace turnstile::command
