// SPDX-License-Identifier: BSL-1.0
#include "divergence.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <unordered_map>

namespace turnstile::check {
namespace {

/// The transactions that more than half of the servers have, in order.
std::vector<std::int64_t> held_by_majority(const std::vector<server_log>& servers) {
    std::unordered_map<std::int64_t, std::size_t> holders;
    for (const auto& server : servers)
        for (const auto zxid : std::set<std::int64_t>{server.zxids.begin(), server.zxids.end()})
            ++holders[zxid];
    std::vector<std::int64_t> result;
    for (const auto& [zxid, count] : holders)
        if (2 * count > servers.size())
            result.push_back(zxid);
    std::sort(result.begin(), result.end());
    return result;
}

/// Adds the gaps of one server. `expected`: what a majority has, in order.
void add_gaps(const server_log& server, const std::vector<std::int64_t>& expected,
              std::vector<divergence>& gaps) {
    // Sorted, since a server that joins again may log transactions again.
    const std::set<std::int64_t> own{server.zxids.begin(), server.zxids.end()};
    const std::set<std::int64_t> snapshots{server.snapshots.begin(), server.snapshots.end()};
    divergence gap{.server = server.name};
    std::int64_t gap_ends = 0; // the server's own transaction right behind the gap
    for (const auto zxid : expected) {
        const auto next = own.lower_bound(zxid);
        if (next == own.end())
            break; // it had not arrived when the server was stopped
        const auto snapshot = snapshots.lower_bound(zxid);
        if (*next == zxid || (snapshot != snapshots.end() && *snapshot < *next))
            continue;
        if (gap.count != 0 && gap_ends != *next) {
            gaps.push_back(gap);
            gap.count = 0;
        }
        gap.first = gap.count == 0 ? zxid : gap.first;
        gap.last = zxid;
        gap_ends = *next;
        ++gap.count;
    }
    if (gap.count != 0)
        gaps.push_back(gap);
}

} // namespace

std::string divergence::text() const {
    std::ostringstream out;
    out << server << " lacks " << count << " transactions that others have, 0x" << std::hex << first
        << " to 0x" << last;
    return out.str();
}

std::vector<divergence> find_divergences(const std::vector<server_log>& servers) {
    std::vector<divergence> gaps;
    if (servers.size() >= 3) {
        const auto expected = held_by_majority(servers);
        for (const auto& server : servers)
            add_gaps(server, expected, gaps);
    }
    return gaps;
}

} // namespace turnstile::check
