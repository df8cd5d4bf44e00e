// SPDX-License-Identifier: BSL-1.0
// Whose node stands there: asked where nobody knows, and where another hand may have deleted ours.
#include "protocol/names/ticket_data.hpp"
#include "protocol/single_node/single_node.hpp"

namespace turnstile::protocol {

// The path first: if the node that is read after it is ours, nobody has acquired since that version
// was the path's.
void single_node::examine() {
    if (!context_.requests.connected()) {
        phase_ = phase::unresolved;
        return;
    }
    phase_ = phase::examining;
    const auto epoch = ++epoch_;
    send({.op = operation::exists, .path = path_}, [this, epoch](const reply& answer) {
        if (epoch == epoch_)
            folder_ = answer;
    });
    send({.op = operation::get, .path = node_}, [this, epoch](const reply& found) {
        if (epoch != epoch_ || phase_ != phase::examining || outcome_unknown(found.code) ||
            outcome_unknown(folder_.code))
            return;
        if (found.code == zookeeper_code::no_auth && !ours_)
            return ask_owner();
        if (refused(found.code) || refused(folder_.code))
            return examine_later();
        conclude(found);
    });
}

// A node that may not be read still tells whose it is. One of this session that may not be read is
// asked for again: nobody knows which acquire made it.
void single_node::ask_owner() {
    const auto epoch = ++epoch_;
    send({.op = operation::exists, .path = node_}, [this, epoch](const reply& found) {
        if (epoch != epoch_ || phase_ != phase::examining || outcome_unknown(found.code))
            return;
        if (refused(found.code) || refused(folder_.code) ||
            rules_.is_own(found, context_.session_id))
            return examine_later();
        conclude(found);
    });
}

void single_node::examine_later() {
    phase_ = phase::unresolved;
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
        if (phase_ == phase::unresolved && context_.requests.connected())
            examine();
    });
}

void single_node::conclude(const reply& found) {
    phase_ = phase::free;
    if (ours_)
        return conclude_own(found);
    if (!sweep_.pending())
        sweep_wanted_ = false;
    if (!rules_.is_own(found, context_.session_id)) {
        if (!waiting_.empty())
            sweep_later(); // its create may have been held back on its way
        return compete();
    }
    // The create was carried out between the two reads: the first is older than the node.
    if (folder_.code != zookeeper_code::ok || folder_.stat.mzxid < found.stat.czxid)
        return examine();
    const own_node mine{.czxid = found.stat.czxid, .version = folder_.stat.version};
    directory_.found(folder_.stat.czxid);
    if (!waiting_.empty() && rules_.is_of(request_of(found.data), waiting_.front()->request.str()))
        return take(mine, folder_.stat.children - 1);
    ours_ = mine; // of an acquire that is over
    leave(0);
}

void single_node::conclude_own(const reply& found) {
    if (!rules_.is_same(found, ours_->czxid)) {
        if (ours_->leaving)
            return gone(ours_->tried ? failure::none : failure::lost_deleted);
        phase_ = phase::confirming;
        return on_deleted_outside(true);
    }
    ours_->version = folder_.stat.version; // of before the node was read
    ours_->unseen = false;
    if (ours_->leaving)
        return remove();
    if (!waiting_.front()->abandoned)
        return confirm();
    pop_front();
    leave(0);
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
        context_.events.on_note(note_level::info, "held node deleted from outside: " + node_);
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
