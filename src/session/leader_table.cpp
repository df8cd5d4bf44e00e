// SPDX-License-Identifier: BSL-1.0
#include "session/leader_table.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

namespace turnstile::detail {

namespace {

using std::chrono::system_clock;

// So many leaders are kept for a caller that awaits the next one late.
constexpr std::size_t most_seen = 64;

} // namespace

leader_info to_public(const protocol::leader_watch::leader& from) {
    leader_info result;
    result.fencing_token = fencing_token(static_cast<std::uint64_t>(from.czxid));
    result.session_id = from.session;
    result.value = from.who.value;
    result.host = from.who.host;
    result.pid = from.who.process;
    result.label = from.who.label;
    result.since = system_clock::time_point{std::chrono::milliseconds{from.ctime}};
    return result;
}

void leader_table::await(group_id group, const std::optional<leader_info>& known, operation_id id,
                         operation&& waiting) {
    waiting_.add(id, {std::move(waiting), known}, group);
    complete_waiters(group);
}

void leader_table::on_leader(group_id group, leader_info now) {
    auto& seen = seen_[group];
    if (!seen.empty())
        now.since = now.fencing_token == seen.back().fencing_token ? seen.back().since
                                                                   : system_clock::now();
    seen.push_back(std::move(now));
    if (seen.size() > most_seen)
        seen.pop_front();
    complete_waiters(group);
}

void leader_table::complete_waiters(group_id group) {
    const auto& seen = seen_[group];
    if (seen.empty())
        return;
    for (const auto id : waiting_.members(group)) {
        const auto known = waiting_.find(id)->known;
        auto next = known ? std::find(seen.rbegin(), seen.rend(), *known) : seen.rend();
        if (next == seen.rbegin())
            continue; // the caller knows the last one
        next = next == seen.rend() ? seen.rbegin() : std::prev(next);
        waiting_.complete(id, {}, leader_info(*next));
    }
}

} // namespace turnstile::detail
