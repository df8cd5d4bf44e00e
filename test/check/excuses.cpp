// SPDX-License-Identifier: BSL-1.0
#include "excuses.hpp"

#include <algorithm>

namespace turnstile::check {
namespace {

std::vector<interval> merged(std::vector<interval> all) {
    std::sort(all.begin(), all.end(),
              [](const interval& a, const interval& b) { return a.from < b.from; });
    std::vector<interval> result;
    for (const auto& i : all)
        if (!result.empty() && i.from <= result.back().to)
            result.back().to = std::max(result.back().to, i.to);
        else
            result.push_back(i);
    return result;
}

instant later(instant t, instant by) { return t > never - by ? never : t + by; }

} // namespace

excuses::excuses(const history& told, const ticket_book& book, const check_options& how)
    : told_{&told}, book_{&book}, how_{how} {
    for (const auto& act : told.outside_acts)
        if (act.path.empty())
            ended_[act.session].push_back(act);
        else
            deleted_[act.path].push_back(act);
    for (const auto& c : told.connections) {
        const auto [at, is_new] = last_.emplace(c.session, c.open);
        if (!is_new && at->second.from < c.open.from)
            at->second = c.open;
    }
    for (const auto& notice : told.gone) {
        const auto& where = told.connections[notice.connection];
        // A client that leaves a connection at that moment may not have read the news.
        if (where.open.to > later(notice.when, how.told_grace))
            gone_[{notice.path, where.session}].push_back(notice.when);
    }
    for (const auto& notice : told.unheard)
        unheard_.emplace(notice.path, told.connections[notice.connection].session);
    for (auto& [whom, when] : gone_)
        std::sort(when.begin(), when.end());
}

interval excuses::around(const outside_act& act, const acquire& a) const {
    const auto timeout = told_->timeout_of(a);
    // The news may come before or after the act: the other program had to wait for an answer.
    const auto from = act.since != never ? act.since : act.when - timeout - how_.grace;
    return {from, act.when + timeout + how_.grace};
}

/// The name of a lock's one node is used again and again: news from before the grant is about
/// another node.
instant excuses::told_gone(const ticket& its, const acquire& a) const {
    const auto at = gone_.find({its.lock + '/' + its.name, its.session});
    if (at == gone_.end())
        return never;
    const auto since = its.role == node_role::only_holder ? a.granted : instant{0};
    const auto first = std::lower_bound(at->second.begin(), at->second.end(), since);
    return first == at->second.end() ? never : *first;
}

/// The end of the lease, by the last proof that the session can have had before its last connection
/// ended. The lease lasts a timeout: from the moment before that connection was made, or from a
/// request after whose answer two beats were answered, three eighths of a timeout apart.
instant excuses::end_of_lease(const ticket& its, const acquire& a) const {
    const auto at = last_.find(its.session);
    if (at == last_.end() || at->second.to == never)
        return never;
    const auto timeout = told_->timeout_of(a);
    return std::max(at->second.from + timeout, at->second.to + timeout * 5 / 8);
}

/// A ticket that waits is watched by its own session. So that session gets the event of its end
/// before that of the release of the ticket before it, unless the event was lost.
bool excuses::hears_before_grant(const ticket& its) const {
    return its.in_line() && !its.was_owner() &&
           unheard_.count({its.lock + '/' + its.name, its.session}) == 0;
}

std::vector<interval> excuses::of(const acquire& a) const {
    auto result = outside(a);
    for (const auto& pause : told_->workers[a.worker].pauses)
        result.push_back({pause.from, later(pause.to, how_.grace)});
    return merged(std::move(result));
}

std::vector<interval> excuses::outside(const acquire& a) const {
    const auto token = a.last_token();
    const auto* const its = book_->find(a.lock, token);
    if (its == nullptr ? book_->undone(a.lock, token) : book_->mistaken(*its))
        return {{0, never}};
    std::vector<interval> result;
    const auto add = [&](const auto& acts, const auto& key, instant end) {
        if (const auto at = acts.find(key); at != acts.end()) {
            for (const auto& act : at->second) {
                if (act.when < a.asked && a.what != claim::shared)
                    continue; // the session ended before there was a ticket to join
                const auto all = around(act, a);
                if (all.from < end)
                    result.push_back({all.from, std::min(all.to, end)});
            }
        }
    };
    if (its == nullptr)
        return result;
    if (hears_before_grant(*its)) {
        // A ticket of the same session may have handed it the lock unseen. That one keeps all
        // others out until it knows.
        const auto told = its->behind_own ? told_gone(*its, a) : never;
        return told == never ? result : std::vector{interval{told, told + how_.told_grace}};
    }
    if (its->how == removal::foreign) {
        const auto end = later(told_gone(*its, a), how_.told_grace);
        add(deleted_, its->lock + '/' + its->name, end);
        if (a.what != claim::shared)
            add(deleted_, its->lock, end);
    } else if (its->how == removal::session_end) {
        const auto end = std::min(told_gone(*its, a), end_of_lease(*its, a));
        add(ended_, its->session, later(end, how_.told_grace));
    }
    return merged(std::move(result));
}

bool excuses::by_outside_hand(const acquire& a, instant t) const {
    const auto all = outside(a);
    return std::any_of(all.begin(), all.end(),
                       [&](const interval& i) { return i.from <= t && t < i.to; });
}

bool excuses::touch(const acquire& a, interval span) const {
    const auto all = of(a);
    return std::any_of(all.begin(), all.end(),
                       [&](const interval& i) { return i.from <= span.to && span.from < i.to; });
}

instant excuses::end_of_belief(const acquire& a) const {
    const auto& owner = told_->workers[a.worker];
    return std::min({a.released, a.lost, owner.killed, owner.stopped, told_->last});
}

} // namespace turnstile::check
