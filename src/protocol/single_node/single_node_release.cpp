// SPDX-License-Identifier: BSL-1.0
// What becomes of a node that is ours: shared, released, lost, deleted, or kept.
#include "protocol/single_node/single_node.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

bool single_node::is_holder(ticket_id id) const {
    const bool was_granted = phase_ == phase::held || phase_ == phase::lost;
    return was_granted && (ours_->id == id || std::find(ours_->others.begin(), ours_->others.end(),
                                                        id) != ours_->others.end());
}

void single_node::share(ticket_id holder, ticket_id further) {
    if (!is_holder(holder))
        return;
    ours_->others.push_back(further);
    owners_.emplace(further, this);
}

// The node is known by one of the handles: another one takes its part.
void single_node::leave_to_others(ticket_id id) {
    auto& others = ours_->others;
    if (id != ours_->id) {
        std::erase(others, id);
        return;
    }
    ours_->id = others.front();
    others.erase(others.begin());
    if (context_.held.erase(id) > 0)
        context_.held.insert(ours_->id);
    if (watcher_ == id) {
        forget_watch();
        watcher_ = ours_->id;
        context_.watches.add(node_, *watcher_);
    }
}

bool single_node::release(ticket_id id) {
    if (!is_holder(id))
        return false;
    const bool was_lost = phase_ == phase::lost; // told, and nothing to wait for
    const bool others = !ours_->others.empty();
    owners_.erase(id);
    if (others)
        leave_to_others(id);
    else
        context_.held.erase(id);
    if (was_lost || others)
        context_.events.on_released(id, was_lost ? failure::lost_deadline : failure::none,
                                    zookeeper_code::ok);
    if (!others)
        leave(was_lost ? 0 : id);
    return true;
}

void single_node::tell_lost(const own_node& what, failure why) {
    context_.events.on_lost(what.id, why);
    for (const auto id : what.others)
        context_.events.on_lost(id, why);
}

void single_node::forget_holders(const own_node& what) {
    context_.held.erase(what.id);
    owners_.erase(what.id);
    for (const auto id : what.others)
        owners_.erase(id);
}

void single_node::lose() {
    context_.held.erase(ours_->id);
    phase_ = phase::lost;
    const auto now = context_.now();
    const auto end = context_.rules.end_of_place(now, context_.lease.deadline().value_or(now));
    place_expiry_.set(end, [this] {
        if (phase_ != phase::lost)
            return;
        forget_holders(*ours_);
        leave(0);
    });
    tell_lost(own_node(*ours_), failure::lost_deadline);
}

void single_node::leave(ticket_id notify) {
    place_expiry_.cancel();
    own_watch_.cancel();
    forget_watch();
    ours_->leaving = true;
    ours_->notify = notify;
    remove();
}

void single_node::remove() {
    ++epoch_;
    if (ours_->unseen || !context_.requests.connected())
        return examine();
    phase_ = phase::deleting;
    send({.op = operation::delete_holder,
          .path = node_,
          .version = rules_.version_to_delete(ours_->version)},
         [this](const reply& answer) { on_removed(answer); });
}

void single_node::on_removed(const reply& answer) {
    if (phase_ != phase::deleting)
        return; // the session is over
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        return gone(failure::none);
    case no_node: // gone before our first try: another hand had deleted it
        return gone(ours_->tried ? failure::none : failure::lost_deleted);
    case bad_version: // somebody has acquired since, or another hand has set the lock path
        return examine();
    case no_auth: // READ of the path, without which its version is not known, or DELETE
        return answer.set_denied ? examine_later() : keep(answer.code);
    case throttled:
        return examine_later();
    default:
        break;
    }
    ours_->tried = true;
    phase_ = phase::unresolved;
    if (!outcome_unknown(answer.code))
        context_.drop_connection(); // it may stand: looked for on the next connection
}

void single_node::forget_node() {
    ours_.reset();
    place_expiry_.cancel();
    give_bytes();
}

void single_node::give_bytes() {
    context_.bytes_freed |= paid_ > 0;
    context_.bytes.give(std::exchange(paid_, 0));
}

void single_node::gone(failure why, zookeeper_code code) {
    const auto id = ours_->notify;
    forget_node();
    phase_ = phase::free;
    if (id != 0)
        context_.events.on_released(id, why, code);
    if (rules_.passes_on())
        compete();
}

// Whoever comes next would wait until the end of its own session.
void single_node::keep(zookeeper_code code) {
    const auto id = std::exchange(ours_->notify, 0);
    phase_ = phase::kept;
    if (id != 0) {
        context_.events.on_released(id, failure::release_denied, code);
        context_.events.on_note(note_level::warning,
                                "DELETE is denied, the node stays until the session ends: " +
                                    node_);
    }
    while (!waiting_.empty())
        fail_front(failure::release_denied, code);
}

} // namespace turnstile::protocol
