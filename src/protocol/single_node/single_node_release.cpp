// What becomes of a node that is ours: released, lost, deleted by another hand, or not known.
#include "protocol/names/ticket_data.hpp"
#include "protocol/single_node/single_node.hpp"

#include <algorithm>
#include <memory>
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
    if (!context_.requests.connected()) {
        phase_ = phase::unresolved;
        return;
    }
    phase_ = phase::deleting;
    send({.op = operation::delete_holder,
          .path = node_,
          .version = rules_.version_to_delete(ours_->version)},
         request_purpose::delete_holder, [this](const reply& answer) { on_removed(answer); });
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

// The path first: if the node that is read after it is ours, nobody has acquired since that version
// was the path's.
void single_node::examine() {
    if (!context_.requests.connected()) {
        phase_ = phase::unresolved;
        return;
    }
    phase_ = phase::examining;
    const auto epoch = ++epoch_;
    const auto folder = std::make_shared<reply>();
    send({.op = operation::exists, .path = path_}, request_purpose::examine_holder,
         [folder](const reply& answer) { *folder = answer; });
    send({.op = operation::get, .path = node_}, request_purpose::examine_holder,
         [this, folder, epoch](const reply& found) {
             if (epoch != epoch_ || phase_ != phase::examining || outcome_unknown(found.code) ||
                 outcome_unknown(folder->code))
                 return;
             if (refused(found.code) || refused(folder->code))
                 return examine_later();
             conclude(*folder, found);
         });
}

void single_node::examine_later() {
    phase_ = phase::unresolved;
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
        if (phase_ == phase::unresolved && context_.requests.connected())
            examine();
    });
}

void single_node::conclude(const reply& folder, const reply& found) {
    phase_ = phase::free;
    if (ours_)
        return conclude_own(folder, found);
    if (!sweep_.pending())
        sweep_wanted_ = false;
    if (!rules_.is_own(found, context_.session_id)) {
        if (!waiting_.empty())
            sweep_later(); // its create may have been held back on its way
        return compete();
    }
    // The create was carried out between the two reads: the first is older than the node.
    if (folder.code != zookeeper_code::ok || folder.stat.mzxid < found.stat.czxid)
        return examine();
    const own_node mine{.czxid = found.stat.czxid, .version = folder.stat.version};
    if (!waiting_.empty() && request_of(found.data) == waiting_.front()->request)
        return take(mine, folder.stat.children - 1);
    ours_ = mine; // of an acquire that is over
    leave(0);
}

void single_node::conclude_own(const reply& folder, const reply& found) {
    if (!rules_.is_same(found, ours_->czxid)) {
        if (ours_->leaving)
            return gone(ours_->tried ? failure::none : failure::lost_deleted);
        phase_ = phase::confirming;
        return on_deleted_outside(true);
    }
    ours_->version = folder.stat.version; // of before the node was read
    if (ours_->leaving)
        return remove();
    if (!waiting_.front()->abandoned)
        return own();
    pop_front();
    leave(0);
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

// Where only a read shows it, the node is deleted all the same: one that stays would keep all
// others out.
void single_node::on_deleted_outside(bool certain) {
    const auto was = phase_;
    const auto mine = *ours_;
    own_watch_.cancel();
    place_expiry_.cancel();
    forget_watch();
    if (certain) {
        forget_node();
        phase_ = phase::free;
        ++epoch_;
    }
    if (was == phase::held || was == phase::lost)
        forget_holders(mine);
    if (was == phase::held) {
        context_.events.on_note(note_level::error, "held node deleted from outside: " + node_);
        tell_lost(mine, failure::lost_deleted);
    }
    if (certain)
        return compete();
    ours_->leaving = ours_->tried = true;
    examine();
}

void single_node::on_missing() {
    if (phase_ == phase::held)
        on_deleted_outside(true);
}

void single_node::sweep_later() {
    if (!rules_.looks_again())
        return;
    sweep_wanted_ = true;
    sweep_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
        if (phase_ != phase::free || !waiting_.empty())
            sweep_later();
        else if (context_.requests.connected())
            examine(); // else on the next connection
    });
}

} // namespace turnstile::protocol
