// SPDX-License-Identifier: BSL-1.0
// Rules "exclusion" and "outcome": the grants that workers were told, against the tickets of the
// transaction log.
#include "rules.hpp"

#include "lock_kinds.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::check {
namespace {

/// A token that an acquire got: by its grant, or by an upgrade.
struct grant {
    std::int64_t token;
    claim what;
};

std::vector<grant> grants_of(const acquire& a) {
    std::vector<grant> result{{a.token, a.what}};
    for (const auto& each : a.changes)
        if (each.token != 0)
            result.push_back({each.token, claim::exclusive});
    return result;
}

/// Says whose the ticket's session is; empty if it is one of the worker's own, as far as known.
std::string wrong_session(const evidence& given, const acquire& a, const ticket& its,
                          const std::unordered_map<std::int64_t, std::size_t>& owners) {
    const auto owner = owners.find(its.session);
    if (owner != owners.end())
        return owner->second == a.worker ? "" : " of " + given.told.workers[owner->second].name;
    return its.session == a.session ? "" : " that it never named";
}

void check_grant(const evidence& given, const acquire& a, const grant& by,
                 const std::unordered_map<std::int64_t, std::size_t>& owners, verdict& out) {
    const auto* const its = given.book.find(a.lock, by.token);
    if (its == nullptr && given.book.undone(a.lock, by.token)) {
        // No client can help that, but such a run proves nothing about its clients.
        ++out.undone;
        out.add("log", given.describe(a) + ": the ensemble made its ticket, and did not keep it");
        return;
    }
    if (its == nullptr) {
        out.add("exclusion", given.describe(a) + ": no transaction of the log created its ticket");
        return;
    }
    if (!matches(by.what, its->role, its->place.shared))
        out.add("exclusion", given.describe(a) + ": its ticket is of another kind");
    if (const auto whose = wrong_session(given, a, *its, owners); !whose.empty())
        out.add("exclusion", given.describe(a) + ": its ticket belongs to a session" + whose);
    // Another program may have deleted the ticket, and the news of that was lost. Until its next
    // answer the session cannot know: only the token protects others.
    const bool covered = given.excused.by_outside_hand(a, a.granted);
    if (!its->was_owner() && !its->behind_own && !covered) {
        out.add("exclusion", given.describe(a) + ": granted although " + its->behind +
                                 " always stood before its ticket " + its->name_and_session());
    }
}

} // namespace

void check_exclusion(const evidence& given, verdict& out) {
    std::unordered_map<std::int64_t, std::size_t> owners; // by session: its worker
    for (std::size_t i = 0; i < given.told.workers.size(); ++i)
        for (const auto session : given.told.workers[i].sessions)
            owners.emplace(session, i);
    for (const auto& grants : given.grants_by_lock) {
        std::map<std::int64_t, const acquire*> seen;
        for (const auto* a : grants) {
            for (const auto& by : grants_of(*a)) {
                check_grant(given, *a, by, owners, out);
                if (by.what == claim::shared)
                    continue; // readers may share a ticket: see rules_readers.cpp
                if (const auto [at, is_new] = seen.emplace(by.token, a); !is_new) {
                    out.add("exclusion", given.describe(*a) +
                                             ": its ticket was granted before, to " +
                                             given.describe(*at->second));
                }
            }
        }
    }
    for (const auto& t : given.book.tickets()) {
        if (t.how == removal::handed_off && !t.was_owner())
            out.add("exclusion", t.path() + " was handed off before it was owner");
        const auto by = owners.find(t.removed_by);
        if (t.how == removal::foreign && by != owners.end() && !given.book.mistaken(t)) {
            out.add("exclusion", t.path() + " was removed by another session, of " +
                                     given.told.workers[by->second].name);
        }
    }
}

/// Whether `place` is the ticket of a waiter that got `lease` by a trial, as the first in line.
/// Such a waiter passes its place on once it has the lease. After a lost connection the lease may
/// go before the place does, and the session may end in between.
bool passes_place_on(const ticket& place, const ticket& lease) {
    const bool left = place.how == removal::handed_off || place.how == removal::session_end;
    return lease.role == node_role::tried && place.in_line() && left;
}

// An acquire may make several tickets if answers are lost. It is granted with one of them at most,
// and the others have to be gone before that one is.
void check_outcomes(const evidence& given, verdict& out) {
    std::set<const ticket*> granted;
    for (const auto& grants : given.grants_by_lock) {
        for (const auto* a : grants)
            for (const auto& by : grants_of(*a))
                granted.insert(given.book.find(a->lock, by.token));
    }
    std::map<std::pair<std::int64_t, std::string>, std::vector<const ticket*>> requests;
    for (const auto& t : given.book.tickets())
        if (!t.request.empty())
            requests[{t.session, t.request}].push_back(&t);
    for (const auto& [request, tickets] : requests) {
        const ticket* kept = nullptr;
        for (const auto* t : tickets) {
            if (granted.count(t) != 0) {
                if (kept != nullptr) {
                    out.add("outcome", "two tickets of one acquire were granted: " + kept->path() +
                                           " and " + t->path());
                }
                kept = t;
            }
        }
        if (kept == nullptr || kept->how == removal::session_end || kept->how == removal::foreign)
            continue; // it was not granted, or this session did not end it: nothing to compare
        for (const auto* t : tickets) {
            if (t->how == removal::deleted)
                continue; // a create that was held back, listed later (docs/internals/protocol, A7)
            if (t != kept && t->created > kept->removed) {
                out.add("outcome",
                        t->path() + " was made after its acquire was over, with " + kept->path());
            } else if (t != kept && t->removed > kept->removed && !passes_place_on(*t, *kept)) {
                out.add("outcome", t->path() + " outlived " + kept->path() +
                                       ", the ticket with which its acquire was granted");
            }
        }
    }
}

} // namespace turnstile::check
