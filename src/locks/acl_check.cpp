// SPDX-License-Identifier: BSL-1.0
#include "locks/acl_check.hpp"

#include "zookeeper/digest.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace turnstile::detail {

namespace {

// The server expands `auth` to all identities of the connection, the well-known guard among them.
constexpr std::array<std::string_view, 5> schemes{"world", "digest", "ip", "x509", "sasl"};

bool is_printable(std::string_view text) {
    return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool is_entry(const acl_entry& entry) {
    if (std::ranges::find(schemes, entry.scheme) == schemes.end() || entry.id.empty() ||
        !is_printable(entry.id))
        return false;
    if (entry.permissions == permission::none || entry.permissions > permission::all)
        return false;
    if (entry.scheme == "world")
        return entry.id == "anyone";
    return entry.scheme != "digest" || zookeeper::is_digest_id(entry.id);
}

permission union_of(const std::vector<acl_entry>& entries) {
    auto all = permission::none;
    for (const auto& entry : entries)
        all = all | entry.permissions;
    return all;
}

} // namespace

bool can_work(const acl& what) {
    if (what.directories > acl::rule::list || !std::ranges::all_of(what.entries, is_entry) ||
        !std::ranges::all_of(what.tickets, is_entry))
        return false;
    constexpr auto users =
        permission::create | permission::read | permission::write | permission::remove;
    if (what.directories == acl::rule::list && (union_of(what.entries) & users) != users)
        return false;
    return (union_of(what.tickets) & permission::read) == permission::read;
}

std::size_t bytes_of(const std::vector<acl_entry>& entries) {
    std::size_t bytes = 0;
    for (const auto& entry : entries)
        bytes += entry.scheme.size() + entry.id.size() + 12;
    return bytes;
}

} // namespace turnstile::detail
