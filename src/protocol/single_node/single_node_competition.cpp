// SPDX-License-Identifier: BSL-1.0
// Make the node, or wait for the one that is there.
#include "protocol/names/ticket_data.hpp"
#include "protocol/single_node/single_node.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

// Creates in a row that found neither the path nor a node: the path is unstable.
constexpr std::size_t most_creates = 64;

} // namespace

void single_node::compete() {
    if (phase_ != phase::free)
        return;
    forget_abandoned();
    if (waiting_.empty())
        return give_bytes();
    if (!context_.requests.connected())
        return;
    if (!directory_.incarnation())
        return directory_.find();
    if (context_.rules.is_renewed(waiting_.front()->wanted, *directory_.incarnation())) {
        fail_front(failure::path_renewed);
        return compete();
    }
    if (++tries_ > most_creates) {
        fail_front(failure::path_unstable);
        return compete();
    }
    if (paid_ == 0) {
        if (!context_.bytes.fits(cost(), false)) {
            fail_front(failure::session_full);
            return compete();
        }
        in_reserve_ = !context_.bytes.fits(cost(), true);
        paid_ = cost();
        context_.bytes.take(paid_);
    }
    phase_ = phase::creating;
    ++epoch_;
    send({.op = operation::create_holder,
          .path = node_,
          .data = context_.options.who.str(waiting_.front()->request.str())},
         [this](const reply& answer) { on_created(answer); });
}

void single_node::on_created(const reply& answer) {
    if (phase_ != phase::creating)
        return; // the session is over
    if (outcome_unknown(answer.code)) {
        phase_ = phase::unresolved;
        return;
    }
    phase_ = phase::free;
    using enum zookeeper_code;
    switch (answer.code) {
    case ok:
        directory_.found(answer.stat.czxid);
        return take({.czxid = answer.stat.mzxid, .version = answer.stat.version},
                    answer.stat.children);
    case node_exists:
        in_reserve_ = in_reserve_ && !context_.bytes.fits(0, true);
        if (!waiting_.front()->patient || !in_reserve_)
            return ask();
        fail_front(failure::session_full);
        break;
    case no_node: // reaped, or deleted by somebody
        directory_.vanished();
        break;
    case no_auth:
        fail_front(answer.set_denied ? failure::write_denied : failure::create_denied, answer.code);
        break;
    default:
        fail_front(failure::server_error, answer.code);
    }
    compete();
}

// Who may not wait asks, too, only whether the node goes with a session.
void single_node::ask() {
    forget_abandoned();
    if (waiting_.empty())
        return compete();
    phase_ = phase::asking;
    ++epoch_;
    const bool waits = waiting_.front()->patient;
    send({.op = waits ? operation::get : operation::exists,
          .path = node_,
          .watch = waits && rules_.sets_watch()},
         [this, epoch = epoch_](const reply& answer) {
             if (epoch == epoch_ && phase_ == phase::asking)
                 on_asked(answer);
         });
}

void single_node::on_asked(const reply& answer) {
    if (outcome_unknown(answer.code))
        return; // asked again on the next connection
    phase_ = phase::free;
    if (rules_.is_own(answer, context_.session_id))
        return examine(); // an earlier create of this session appeared late
    const bool stays = answer.code == zookeeper_code::ok && answer.stat.ephemeral_owner == 0;
    if (stays || !waiting_.front()->patient) {
        fail_front(stays ? failure::wrong_kind : failure::would_block);
        return compete();
    }
    if (answer.code == zookeeper_code::no_node)
        return compete();
    if (answer.code != zookeeper_code::ok) {
        fail_front(failure_of_read(answer.code), answer.code);
        return compete();
    }
    tries_ = 0;
    phase_ = phase::watching;
    watcher_ = waiting_.front()->id;
    context_.watches.add(node_, *watcher_);
}

void single_node::on_watch(ticket_id watcher, watch_event event) {
    if (watcher_ != watcher)
        return;
    watcher_.reset();
    if (phase_ == phase::watching) {
        phase_ = phase::free;
        return event == watch_event::deleted ? compete() : ask();
    }
    if (!ours_ || ours_->leaving || !context_.rules.heeds_own_watch())
        return;
    if (event == watch_event::deleted)
        return on_deleted_outside(true);
    watch_own(); // somebody set its data
}

void single_node::read_again() {
    if (phase_ != phase::watching)
        return;
    forget_watch();
    phase_ = phase::free;
    ask();
}

// The node is ours. The lock is, if nobody stood under the path before.
void single_node::take(const own_node& mine, std::int32_t others) {
    forget_watch();
    ours_ = mine;
    auto& first = *waiting_.front();
    ours_->id = first.id;
    if (first.abandoned) {
        pop_front();
        if (rules_.deletes_late_node())
            return leave(0);
        ours_.reset();
        return compete();
    }
    if (context_.rules.is_renewed(first.wanted, *directory_.incarnation())) {
        fail_front(failure::path_renewed);
        return leave(0);
    }
    if (!rules_.is_alone(others)) {
        fail_front(failure::wrong_kind);
        return leave(0);
    }
    confirm();
}

void single_node::confirm() {
    phase_ = phase::confirming;
    ++epoch_;
    if (context_.rules.may_grant(context_.lease_is_fresh(), false))
        return grant();
    send({.op = operation::check, .path = node_}, [this, epoch = epoch_](const reply& answer) {
        if (epoch != epoch_ || phase_ != phase::confirming || outcome_unknown(answer.code))
            return;
        if (answer.code == zookeeper_code::no_node)
            return on_deleted_outside(true);
        if (answered(answer.code) && context_.lease_is_fresh())
            return grant();
        context_.prove_anew([&] { confirm(); });
    });
}

void single_node::grant() {
    phase_ = phase::held;
    const auto id = ours_->id;
    waiting_.pop_front(); // and stays among the owners
    tries_ = 0;
    context_.held.insert(id);
    context_.tell_deadline();
    context_.events.on_granted(id, ours_->czxid);
    watch_own_later(lease_plan::spread(context_.lease.timeout()));
}

void single_node::watch_own_later(duration delay) {
    own_watch_.set(context_.now() + delay, [this] { watch_own(); });
}

void single_node::watch_own() {
    if (!context_.requests.connected() || phase_ != phase::held)
        return;
    send({.op = operation::get, .path = node_, .watch = true},
         [this, czxid = ours_->czxid](const reply& answer) {
             const bool same = ours_ && ours_->czxid == czxid && !ours_->leaving;
             if (!same || outcome_unknown(answer.code))
                 return;
             // Until it is watched, a node that another program makes in its place looks like it.
             if (refused(answer.code))
                 return watch_own_later(lease_plan::asked_again(context_.lease.timeout()));
             if (!rules_.is_same(answer, czxid))
                 return on_deleted_outside(false);
             ours_->unseen = false;
             forget_watch();
             watcher_ = ours_->id;
             context_.watches.add(node_, *watcher_);
         });
}

void single_node::forget_watch() {
    if (const auto who = std::exchange(watcher_, std::nullopt))
        context_.watches.remove(node_, *who);
}

} // namespace turnstile::protocol
