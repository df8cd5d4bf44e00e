// Rules "exclusion" and "outcome": what the transaction log says about tickets and grants.
#include "rules.hpp"

#include "lock_kinds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace turnstile::check {
namespace {

std::string path_of(const ticket& t) { return t.lock + '/' + t.name; }

/// Empty if it is one of the worker's own sessions, as far as anybody knows.
std::string wrong_session(const evidence& e, const acquire& a, const ticket& its,
                          const std::unordered_map<std::int64_t, std::size_t>& owners) {
    const auto owner = owners.find(its.session);
    if (owner != owners.end()) {
        return owner->second == a.worker ? "" : " of " + e.told.workers[owner->second].name;
    }
    return its.session == a.session ? "" : " that it never named";
}

void check_grant(const evidence& e, const acquire& a,
                 const std::unordered_map<std::int64_t, std::size_t>& owners, verdict& out) {
    const auto* const its = e.book.find(a.lock, a.token);
    if (its == nullptr && e.book.undone(a.lock, a.token)) {
        // No client can help it, but a run of which this is so proves nothing about its clients.
        ++out.undone;
        out.add("log", e.describe(a) + ": the ensemble made its ticket, and did not keep it");
        return;
    }
    if (its == nullptr) {
        out.add("exclusion", e.describe(a) + ": no transaction of the log created its ticket");
        return;
    }
    if (!matches(a.what, its->role, its->place.shared)) {
        out.add("exclusion", e.describe(a) + ": its ticket is of another kind");
    }
    if (const auto whose = wrong_session(e, a, *its, owners); !whose.empty()) {
        out.add("exclusion", e.describe(a) + ": its ticket belongs to a session" + whose);
    }
    // Until the next answer, only the token covers a ticket that another hand has deleted, or a
    // session that it has ended.
    const bool covered = e.excused.by_outside_hand(a, a.granted);
    if (!its->was_owner() && !its->behind_own && !covered) {
        out.add("exclusion", e.describe(a) + ": granted although " + its->behind +
                                 " always stood before its ticket " + its->name);
    }
}

} // namespace

void check_exclusion(const evidence& e, verdict& out) {
    std::unordered_map<std::int64_t, std::size_t> owners; // of sessions
    for (std::size_t i = 0; i < e.told.workers.size(); ++i) {
        for (const auto session : e.told.workers[i].sessions) {
            owners.emplace(session, i);
        }
    }
    for (const auto& grants : e.grants_by_lock) {
        std::map<std::int64_t, const acquire*> seen;
        for (const auto* a : grants) {
            check_grant(e, *a, owners, out);
            if (const auto [at, is_new] = seen.emplace(a->token, a); !is_new) {
                out.add("exclusion", e.describe(*a) + ": its ticket was granted before, to " +
                                         e.describe(*at->second));
            }
        }
    }
    for (const auto& t : e.book.tickets()) {
        if (t.how == removal::handed_off && !t.was_owner()) {
            out.add("exclusion", path_of(t) + " was handed off before it was owner");
        }
        const auto by = owners.find(t.removed_by);
        if (t.how == removal::foreign && by != owners.end() && !e.book.mistaken(t)) {
            out.add("exclusion", path_of(t) + " was removed by another session, of " +
                                     e.told.workers[by->second].name);
        }
    }
}

void check_outcomes(const evidence& e, verdict& out) {
    std::set<const ticket*> granted;
    for (const auto& grants : e.grants_by_lock) {
        for (const auto* a : grants) {
            granted.insert(e.book.find(a->lock, a->token));
        }
    }
    std::map<std::pair<std::int64_t, std::string>, std::vector<const ticket*>> requests;
    for (const auto& t : e.book.tickets()) {
        if (!t.request.empty()) {
            requests[{t.session, t.request}].push_back(&t);
        }
    }
    for (const auto& [request, tickets] : requests) {
        const ticket* kept = nullptr;
        for (const auto* t : tickets) {
            if (granted.count(t) != 0) {
                if (kept != nullptr) {
                    out.add("outcome", "two tickets of one acquire were granted: " +
                                           path_of(*kept) + " and " + path_of(*t));
                }
                kept = t;
            }
        }
        if (kept == nullptr || kept->how == removal::session_end || kept->how == removal::foreign) {
            continue; // nothing was decided by this session
        }
        for (const auto* t : tickets) {
            if (t->how == removal::deleted) {
                continue; // a create that was held back, listed later (docs/protocol.md)
            }
            if (t != kept && t->created > kept->removed) {
                out.add("outcome", path_of(*t) + " was made after its acquire was over, with " +
                                       path_of(*kept));
            } else if (t != kept && t->removed > kept->removed) {
                out.add("outcome", path_of(*t) + " outlived " + path_of(*kept) +
                                       ", the ticket with which its acquire was granted");
            }
        }
    }
}

} // namespace turnstile::check
