// SPDX-License-Identifier: BSL-1.0
// Rule "outcome", for releases: if a worker was told that its release is done, the transaction log
// has the end of its ticket, in time and for the right reason.
#include "rules.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::check {
namespace {

/// Checks releases that were told as done, one by one. The constructor sorts all acquires by what
/// the checks ask for.
class releases {
public:
    releases(const evidence& given, verdict& out) : given_{given}, out_{out} {
        for (const auto& a : given.told.acquires) {
            if (a.several && a.what == claim::shared)
                parts_[{a.worker, a.lock}].push_back(&a);
            const auto* const its = a.has_lock() ? given.book.find(a.lock, a.token) : nullptr;
            if (its != nullptr && a.what == claim::shared) {
                auto& last = last_of_[its];
                last = std::max(last, a.released);
            } else if (its != nullptr) { // (a reader's ticket may be older than its acquire)
                of_session_[its->session].emplace_back(&a, &a);
            }
        }
        for (auto& [session, all] : of_session_) {
            std::sort(all.begin(), all.end(),
                      [](const auto& a, const auto& b) { return a.first->asked < b.first->asked; });
            for (std::size_t i = all.size(); i-- > 1;) {
                auto& oldest = all[i - 1].second;
                oldest = all[i].second->token < oldest->token ? all[i].second : oldest;
            }
        }
        for (const auto& act : given.told.outside_acts)
            ended_.insert(act.session);
    }

    void check(const acquire& a) {
        const auto* const its = given_.book.find(a.lock, a.last_token());
        if (its == nullptr || its->removal_undone)
            return; // see rule "log"
        if (const auto last = last_of_.find(its);
            last != last_of_.end() && last->second > a.released)
            return; // other readers held by the same ticket for longer
        if (its->how == removal::none)
            add(a, "it never was removed");
        else if (closed_by_owner(*its))
            add(a, "it went only when its session was closed");
        else if (const auto* const next = oldest_asked_after(a.answered, its->session);
                 next != nullptr && next->token < its->removed && !is_shared_by_part(a))
            add(a, "it still stood when the ticket was made of " + given_.describe(*next));
    }

private:
    void add(const acquire& a, const std::string& what) {
        out_.add("outcome",
                 given_.describe(a) + ": its worker was told that its ticket is gone, but " + what);
    }

    /// Whether the ticket went only because its worker closed the session. (If the session ended in
    /// another way, its tickets went with it, and the release has succeeded.) A worker that closes
    /// a session waits for its releases, and tells those that were not answered that nobody knows.
    bool closed_by_owner(const ticket& its) const {
        return its.how == removal::session_end && !its.expired && ended_.count(its.session) == 0;
    }

    /// Whether a part of several shares the reader's ticket. Such a part may do so long before all
    /// its parts are held, or without their ever being held.
    bool is_shared_by_part(const acquire& a) const {
        if (a.what != claim::shared)
            return false;
        const auto found = parts_.find({a.worker, a.lock});
        return found != parts_.end() &&
               std::any_of(found->second.begin(), found->second.end(), [&a](const auto* part) {
                   return part != &a && part->asked < a.released &&
                          std::min(part->granted, part->failed_at) > a.released;
               });
    }

    /// Among the session's acquires that began after `t`, returns the one whose ticket was made
    /// first. A ticket that was gone by then went before that one was made. (Tickets of other
    /// sessions prove nothing: a leader that its majority has left may call sessions expired that
    /// live on.)
    const acquire* oldest_asked_after(instant t, std::int64_t session) const {
        const auto found = of_session_.find(session);
        if (found == of_session_.end())
            return nullptr;
        const auto& all = found->second;
        const auto next =
            std::upper_bound(all.begin(), all.end(), t,
                             [](instant when, const auto& a) { return when < a.first->asked; });
        return next == all.end() ? nullptr : next->second;
    }

    const evidence& given_;
    verdict& out_;
    /// Grants in the order in which they were asked for, and which ticket from there on is oldest.
    using in_time = std::vector<std::pair<const acquire*, const acquire*>>;
    std::unordered_map<std::int64_t, in_time> of_session_;
    std::unordered_map<const ticket*, instant> last_of_; // by reader's ticket: the last release
    std::set<std::int64_t> ended_;                       // sessions that the schedule ended
    /// Readers that are parts of several, by worker and lock.
    std::map<std::pair<std::size_t, std::string>, std::vector<const acquire*>> parts_;
};

} // namespace

void check_releases(const evidence& given, verdict& out) {
    releases all{given, out};
    for (const auto& a : given.told.acquires)
        if (a.has_lock() && a.was_released())
            all.check(a);
}

} // namespace turnstile::check
