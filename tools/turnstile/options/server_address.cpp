// SPDX-License-Identifier: BSL-1.0
#include "options/server_address.hpp"

#include <algorithm>

namespace turnstile::command {

namespace {

server_address address_of(const std::string& text) {
    const auto colon = text.rfind(':');
    const bool has_port = colon != std::string::npos && text.find(']', colon) == std::string::npos;
    server_address result{.text = text,
                          .host = text.substr(0, has_port ? colon : std::string::npos),
                          .port = has_port ? text.substr(colon + 1) : "2181"};
    if (result.host.size() > 2 && result.host.front() == '[')
        result.host = result.host.substr(1, result.host.size() - 2); // of IPv6
    return result;
}

} // namespace

server_addresses addresses_of(const std::string& list) {
    server_addresses result;
    const auto slash = std::min(list.find('/'), list.size());
    if (list.size() > slash + 1) // "/" alone is no chroot
        result.chroot = list.substr(slash);
    std::string rest = list.substr(0, slash) + ',';
    for (auto comma = rest.find(','); comma != std::string::npos; comma = rest.find(',')) {
        result.all.push_back(address_of(rest.substr(0, comma)));
        rest.erase(0, comma + 1);
    }
    return result;
}

} // namespace turnstile::command
