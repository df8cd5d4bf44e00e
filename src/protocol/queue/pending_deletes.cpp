// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/pending_deletes.hpp"

#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

constexpr auto released_data = "released\n";

/// Whether the read shows that this session's node is gone. A node of the same name with another
/// czxid is another node. After a downgrade the czxid is not known (0): then only the owner is
/// compared.
bool is_gone(const reply& answer, std::int64_t czxid, std::int64_t session) {
    const bool is_ours =
        czxid != 0 ? answer.stat.czxid == czxid : answer.stat.ephemeral_owner == session;
    return answer.code == zookeeper_code::no_node ||
           (answer.code == zookeeper_code::ok && !is_ours);
}

} // namespace

void pending_deletes::add(pending_delete what, std::vector<ticket_name> next) {
    names_.insert(what.name);
    if (what.may_be_downgraded)
        names_.insert(what.name.as_downgraded());
    auto& added =
        leaving_.try_emplace(leaving_.end(), ++last_, open_delete{std::move(what)})->second;
    // After a downgrade it is unknown by which name the node stands. After NOAUTH it is unknown
    // whether it stands: ZooKeeper looks at the right before it looks for the node
    // (PrepRequestProcessor). Our node may have been gone, and its name may be another node's now.
    if (added.may_be_downgraded || added.denied)
        added.phase.enter(state::unknown);
    if (added.phase == state::unknown && context_.requests.connected())
        read_node(last_);
    // The caller grants the lock to `next` only after this call. So if flush() sends the deletion,
    // send_deletion() would not find them among the holders: it is told them here. A deletion that
    // is sent later checks the tickets that hold the lock by then.
    added.holders_checked = std::move(next);
    flush();
    if (added.phase != state::sent)
        added.holders_checked.clear();
}

// Only the last deletion before this ticket counts, since the others are carried out before it. A
// ticket whose downgrade may still be carried out counts as a deletion without a check.
bool pending_deletes::is_unchecked(const ticket_name& name) const {
    const auto last = std::find_if(leaving_.rbegin(), leaving_.rend(), [&](const auto& each) {
        const auto& leaving = each.second;
        return (leaving.phase == state::sent || leaving.may_be_downgraded) &&
               leaving.name.sequence < name.sequence && exclude_each_other(leaving.name, name);
    });
    return last != leaving_.rend() && std::ranges::find(last->second.holders_checked, name) ==
                                          last->second.holders_checked.end();
}

std::vector<ticket_name> pending_deletes::downgraded_names() const {
    std::vector<ticket_name> names;
    for (const auto& [which, leaving] : leaving_)
        if (leaving.may_be_downgraded)
            names.push_back(leaving.name.as_downgraded());
    return names;
}

// A deletion does not overtake one whose outcome is open.
void pending_deletes::flush() {
    for (auto next = leaving_.lower_bound(first_unsent_);
         next != leaving_.end() && context_.requests.connected(); ++next) {
        auto& [which, leaving] = *next;
        first_unsent_ = which;
        if (leaving.phase == state::queued)
            send_deletion(which, leaving);
        else if (leaving.phase != state::sent)
            return;
    }
}

void pending_deletes::put_back(deletion_id which, open_delete& leaving, state where) {
    leaving.phase.enter(where);
    leaving.holders_checked.clear();
    first_unsent_ = std::min(first_unsent_, which);
}

void pending_deletes::send_deletion(deletion_id which, open_delete& leaving) {
    leaving.phase.enter(state::sent);
    if (leaving.holders_checked.empty())
        leaving.holders_checked = queue_.tickets().holders_behind(leaving.name);
    const bool is_release = leaving.form == delete_form::release;
    request what{.op = is_release ? operation::release : operation::remove,
                 .path = path_of(leaving),
                 .data = is_release ? released_data : ""};
    if (!leaving.holders_checked.empty()) {
        what.op = operation::transact;
        for (const auto& next : leaving.holders_checked)
            what.steps.push_back({.what = step_kind::check, .path = next.under(path_)});
        if (is_release)
            what.steps.push_back({.what = step_kind::set, .path = what.path, .data = what.data});
        what.steps.push_back({.what = step_kind::remove, .path = what.path});
    }
    context_.requests.send(
        what, [this, which](const reply& answer) { on_deletion_answered(which, answer); });
}

void pending_deletes::on_deletion_answered(deletion_id which, const reply& answer) {
    const auto found = leaving_.find(which);
    if (found == leaving_.end())
        return;
    auto& leaving = found->second;
    if (answer.code == zookeeper_code::ok)
        return finish(found, failure::none);
    using enum zookeeper_code;
    if (answer.code == no_node) {
        if (const auto step = failed_step(answer); step < leaving.holders_checked.size())
            return on_holder_gone(which, leaving.holders_checked[step]);
        // The ticket's own node. At the first try another program has deleted it.
        return finish(found, leaving.may_be_done ? failure::none : failure::ticket_deleted);
    }
    if (answer.code == throttled) {
        put_back(which, leaving, state::queued);
        return resume_later();
    }
    leaving.may_be_done = true; // from here on `no_node` may be our own doing
    if (outcome_unknown(answer.code))
        return put_back(which, leaving, state::unknown);
    if (leaving.form == delete_form::release) { // perhaps the server refuses only the set
        leaving.form = delete_form::plain;
        return send_deletion(which, leaving);
    }
    if (answer.code == no_auth)
        return finish(found, failure::release_denied, answer.code);
    // The node may still stand. It is read again on the next connection.
    put_back(which, leaving, state::unknown);
    context_.drop_connection();
}

void pending_deletes::on_holder_gone(deletion_id which, ticket_name checked) {
    const auto who = queue_.tickets().find(checked);
    const bool keeps_place = who && who->phase == ticket_phase::lost;
    put_back(which, leaving_.at(which), keeps_place ? state::unknown : state::queued);
    if (keeps_place)
        return resume_later();      // this node, too, stays until the deadline
    queue_.on_ticket_gone(checked); // its loss is reported before the call returns
    flush();
}

void pending_deletes::read_node(deletion_id which) {
    auto& leaving = leaving_.at(which);
    leaving.phase.enter(state::reading);
    context_.requests.send({.op = operation::get, .path = path_of(leaving)},
                           [this, which](const reply& answer) { on_node_read(which, answer); });
}

void pending_deletes::on_node_read(deletion_id which, const reply& answer) {
    const auto found = leaving_.find(which);
    if (found == leaving_.end())
        return;
    auto& leaving = found->second;
    if (outcome_unknown(answer.code) || answer.code == zookeeper_code::throttled) {
        leaving.phase.enter(state::unknown);
        if (answer.code == zookeeper_code::throttled)
            resume_later();
        return;
    }
    // The node stands, or cannot be read: it is deleted by its name. If it is gone, the deletion
    // ends, or goes on with the downgraded name (finish).
    leaving.phase.enter(state::queued);
    if (is_gone(answer, leaving.czxid, context_.session_id))
        finish(found, failure::none);
    flush();
}

void pending_deletes::finish(open_deletes::iterator leaving, failure why, zookeeper_code code) {
    if (leaving->second.may_be_downgraded && why != failure::release_denied)
        return go_on_downgraded(leaving->first, leaving->second);
    auto what = leaving_.extract(leaving);
    names_.erase(names_.find(what.mapped().name));
    if (what.mapped().may_be_downgraded)
        names_.erase(names_.find(what.mapped().name.as_downgraded()));
    settle(std::move(what.mapped()), why, code);
}

void pending_deletes::settle(pending_delete what, failure why, zookeeper_code code) {
    const bool is_denied_now = why == failure::release_denied;
    const bool was_denied = std::exchange(what.denied, is_denied_now);
    if (!is_denied_now)
        what.bytes.give();
    if (what.notify != 0)
        context_.lock_events.on_released(what.notify, why, code);
    if (is_denied_now) {
        if (!was_denied)
            context_.events.on_note(log_level::warning,
                                    "DELETE is denied: the ticket stays until the right is given, "
                                    "or the session ends: " +
                                        what.name.under(path_));
        what.notify = 0;
        undeletable_.push_back(std::move(what));
    } else if (was_denied) { // the right is back: the others are tried, too (Q13)
        for (auto& each : std::exchange(undeletable_, {}))
            add(std::move(each));
    }
    queue_.on_deletion_ended();
}

bool pending_deletes::is_undeletable(const ticket_name& name) const {
    return std::ranges::find(undeletable_, name, &pending_delete::name) != undeletable_.end();
}

void pending_deletes::retry_denied() {
    if (undeletable_.empty())
        return;
    auto what = std::move(undeletable_.front());
    undeletable_.pop_front();
    add(std::move(what));
}

// The old name is gone for good, so the downgrade cannot be carried out any more.
void pending_deletes::go_on_downgraded(deletion_id which, open_delete& leaving) {
    names_.erase(names_.find(leaving.name));
    leaving.name = leaving.name.as_downgraded();
    leaving.czxid = 0;
    leaving.form = delete_form::plain;
    leaving.may_be_downgraded = false;
    leaving.may_be_done = true;
    put_back(which, leaving, state::queued);
    read_node(which);
}

void pending_deletes::resume_later() {
    context_.ask_later(again_, [this] {
        if (context_.requests.connected())
            resume();
    });
}

void pending_deletes::resume() {
    for (auto& [which, leaving] : leaving_)
        if (leaving.phase == state::unknown)
            read_node(which);
    flush();
}

void pending_deletes::stop_waiting(failure why) {
    for (auto& [which, leaving] : leaving_)
        if (const auto waiting = std::exchange(leaving.notify, 0))
            context_.lock_events.on_released(waiting, why, zookeeper_code::ok);
}

void pending_deletes::on_expired(failure why) {
    again_.cancel();
    names_.clear();
    undeletable_.clear();
    for (auto& [which, leaving] : std::exchange(leaving_, {}))
        settle(std::move(leaving), why, zookeeper_code::ok);
}

} // namespace turnstile::protocol
