// SPDX-License-Identifier: BSL-1.0
// Rule "store": a store that checks fencing tokens accepted no stale write, and refused no other.
// Each write carried a token of a grant to write.
#include "rules.hpp"

#include <algorithm>
#include <unordered_map>

namespace turnstile::check {
namespace {

/// Whether the token is that of a grant to write, or of an upgrade: readers do not write.
bool may_write_with(const acquire& a, std::int64_t token) {
    return (a.token == token && a.what != claim::shared) ||
           std::any_of(a.changes.begin(), a.changes.end(),
                       [&](const hold_change& each) { return each.token == token && token != 0; });
}

} // namespace

void check_store(const evidence& given, verdict& out) {
    std::unordered_map<std::string, std::int64_t> largest; // by lock: the largest token accepted
    for (const auto& w : given.told.writes) {
        const std::string what = "write of " + w.worker + "'s acquire " + w.id + " under " + w.lock;
        auto& accepted = largest[w.lock];
        if (w.accepted && w.token < accepted) {
            ++out.stale_accepted;
            out.add("store", what + " was accepted after one with a larger token");
        } else if (!w.accepted && w.token >= accepted) {
            out.add("store", what + " was refused with a token that was not stale");
        }
        out.stale_refused += w.accepted ? 0 : 1;
        accepted = w.accepted ? std::max(accepted, w.token) : accepted;

        const auto index = given.told.find(w.worker, w.id);
        if (!index || !given.told.acquires[*index].has_lock())
            out.add("store", what + ": nothing was granted to it");
        else if (!may_write_with(given.told.acquires[*index], w.token))
            out.add("store", what + ": its token is not one that was granted to write");
    }
}

} // namespace turnstile::check
