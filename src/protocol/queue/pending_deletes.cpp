// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/pending_deletes.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace turnstile::protocol {

namespace {

constexpr auto released_data = "released\n";

/// A node of the same name with another czxid is another node: ours is gone. Of one that was
/// downgraded only the owner is known.
bool is_gone(const reply& answer, std::int64_t czxid, std::int64_t session) {
    const bool is_ours =
        czxid != 0 ? answer.stat.czxid == czxid : answer.stat.ephemeral_owner == session;
    return answer.code == zookeeper_code::no_node ||
           (answer.code == zookeeper_code::ok && !is_ours);
}

} // namespace

void pending_deletes::add(pending_delete leaving) {
    places_.insert(place_of(leaving.name));
    auto& added = leaving_.try_emplace(leaving_.end(), ++last_)->second;
    added.what = std::move(leaving);
    ++unsent_;
    // NOAUTH says nothing about the node: ZooKeeper looks at the right before it looks for the node
    // (PrepRequestProcessor). Ours may have been gone, and its name may be another one's now.
    if (!added.what.may_be_downgraded && !added.what.denied)
        return flush();
    added.where = state::unknown; // whether it stands, or by which of its names
    if (context_.requests.connected())
        check(last_);
}

std::vector<ticket_name> pending_deletes::in_doubt() const {
    std::vector<ticket_name> names;
    for (const auto& [which, leaving] : leaving_)
        if (leaving.what.may_be_downgraded)
            names.push_back(leaving.what.name.as_downgraded());
    return names;
}

void pending_deletes::flush() {
    if (!context_.requests.connected())
        return;
    if (unsent_ == 0)
        return;
    // In the steady state only the newest entry is unsent; after a reconnect, any may be.
    const auto newest = std::prev(leaving_.end());
    const bool only_newest = unsent_ == 1 && newest->second.where == state::queued;
    for (auto next = only_newest ? newest : leaving_.begin(); next != leaving_.end() && unsent_ > 0;
         ++next) {
        const bool unresolved =
            next->second.where == state::checking || next->second.where == state::unknown;
        if (unresolved)
            return;
        if (next->second.where == state::queued)
            remove(next->first, next->second);
    }
}

void pending_deletes::remove(key which, entry& leaving) {
    leaving.where = state::sent;
    --unsent_;
    const bool release = leaving.what.form == delete_form::release;
    const bool alone = leaving.what.successors.empty();
    request what{.op = !alone    ? operation::transact
                       : release ? operation::release
                                 : operation::remove,
                 .path = path_of(leaving)};
    if (alone && release)
        what.data = released_data;
    if (!alone) {
        for (const auto& next : leaving.what.successors)
            what.steps.push_back({.what = step_kind::check, .path = next.under(path_)});
        if (release)
            what.steps.push_back(
                {.what = step_kind::set, .path = what.path, .data = released_data});
        what.steps.push_back({.what = step_kind::remove, .path = what.path});
    }
    context_.requests.send(what, [this, which](const reply& answer) { on_removed(which, answer); });
}

void pending_deletes::on_removed(key which, const reply& answer) {
    const auto found = leaving_.find(which);
    if (found == leaving_.end())
        return;
    auto& leaving = found->second;
    const bool release = leaving.what.form == delete_form::release;
    if (answer.code == zookeeper_code::ok)
        return finish(found, failure::none);
    using enum zookeeper_code;
    const auto refused_step = std::find_if(answer.results.begin(), answer.results.end(),
                                           [](const auto& each) { return each.code != ok; });
    if (const auto step = static_cast<std::size_t>(refused_step - answer.results.begin());
        answer.code == no_node && step < leaving.what.successors.size())
        return on_successor_missing(which, step);
    switch (answer.code) {
    case no_node: // gone before our first try: another hand had deleted it
        return finish(found, leaving.tried ? failure::none : failure::lost_deleted);
    case throttled:
        leaving.where = state::queued;
        ++unsent_;
        return resume_later();
    default:
        break;
    }
    leaving.tried = true;
    if (outcome_unknown(answer.code)) {
        leaving.where = state::unknown;
        ++unsent_;
        return;
    }
    if (release) { // refused, perhaps only its set
        leaving.what.form = delete_form::plain;
        ++unsent_;
        return remove(which, leaving);
    }
    if (answer.code == no_auth)
        return finish(found, failure::release_denied, answer.code);
    // The node may stand, and must not be forgotten: asked for again on the next connection.
    leaving.where = state::unknown;
    ++unsent_;
    context_.drop_connection();
}

void pending_deletes::on_successor_missing(key which, std::size_t successor) {
    auto& leaving = leaving_.at(which);
    auto& successors = leaving.what.successors;
    const auto missing = successors[successor];
    successors.erase(successors.begin() + static_cast<std::ptrdiff_t>(successor));
    leaving.where = state::queued;
    ++unsent_;
    // It may have been released meanwhile, and others hold the lock after it. Its own deletion will
    // not show them, for it finds no node.
    for (const auto& [other, next] : leaving_)
        if (other != which && next.what.name == missing)
            successors.insert(successors.end(), next.what.successors.begin(),
                              next.what.successors.end());
    missing_(missing);
    flush();
}

void pending_deletes::check(key which) {
    auto& leaving = leaving_.at(which);
    leaving.where = state::checking;
    context_.requests.send({.op = operation::get, .path = path_of(leaving)},
                           [this, which](const reply& answer) {
                               const auto found = leaving_.find(which);
                               if (found == leaving_.end())
                                   return;
                               if (outcome_unknown(answer.code)) {
                                   found->second.where = state::unknown;
                                   return;
                               }
                               if (answer.code == zookeeper_code::throttled) {
                                   found->second.where = state::unknown;
                                   return resume_later();
                               }
                               // Where it cannot be read, a delete by name is all that is left.
                               if (is_gone(answer, found->second.what.czxid, context_.session_id)) {
                                   --unsent_;
                                   finish(found, failure::none);
                               } else {
                                   found->second.where = state::queued;
                               }
                               flush();
                           });
}

void pending_deletes::finish(entries::iterator leaving, failure why, zookeeper_code code) {
    if (leaving->second.what.may_be_downgraded && why != failure::release_denied)
        return go_on_downgraded(leaving->first, leaving->second);
    const auto what = std::move(leaving->second.what);
    leaving_.erase(leaving);
    places_.erase(places_.find(place_of(what.name)));
    gone_(what, why, code);
}

// Now that its old name is gone for good, no downgrade of it can come through any more.
void pending_deletes::go_on_downgraded(key which, entry& leaving) {
    places_.erase(places_.find(place_of(leaving.what.name)));
    leaving.what.name = leaving.what.name.as_downgraded();
    leaving.what.czxid = 0;
    leaving.what.form = delete_form::plain;
    leaving.what.may_be_downgraded = false;
    places_.insert(place_of(leaving.what.name));
    leaving.tried = true;
    ++unsent_;
    check(which);
}

void pending_deletes::resume_later() {
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
        if (context_.requests.connected())
            resume();
    });
}

void pending_deletes::resume() {
    for (auto& [which, leaving] : leaving_)
        if (leaving.where == state::unknown)
            check(which);
    flush();
}

void pending_deletes::on_disconnected() {
    // The replies of all that was open have come as connection_loss by now.
    for (auto& [which, leaving] : leaving_)
        if (leaving.where == state::checking)
            leaving.where = state::unknown;
}

void pending_deletes::stop_waiting(failure why) {
    for (auto& [which, leaving] : leaving_)
        if (const auto waiting = std::exchange(leaving.what.notify, 0))
            context_.events.on_released(waiting, why, zookeeper_code::ok);
}

void pending_deletes::on_expired(failure why) {
    again_.cancel();
    unsent_ = 0;
    places_.clear();
    for (const auto& [which, leaving] : std::exchange(leaving_, {}))
        gone_(leaving.what, why, zookeeper_code::ok);
}

} // namespace turnstile::protocol
