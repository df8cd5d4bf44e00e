// SPDX-License-Identifier: BSL-1.0
// From writer to reader, in the same place: nobody gets in between.
//
// A downgrade is multi(create(down-read-lock-s), delete(lock-s)), and no set: whoever watches the
// writer hears DELETED, never CHANGED. The new name proves that its owner held the lock at s, so
// nothing below s is left.
#include "protocol/queue/lock_queue.hpp"

#include <utility>

namespace turnstile::protocol {

void lock_queue::downgrade(ticket& who, ticket_id caller) {
    if (who.phase == ticket_phase::lost)
        return context_.events.on_downgraded(caller, failure::lost_deadline, zookeeper_code::ok);
    if (const auto why = context_.rules.refusal_of_downgrade(who); why != failure::none)
        return context_.events.on_downgraded(caller, why, zookeeper_code::ok);
    who.wishes().downgrade_caller = caller;
    if (context_.requests.connected())
        return send_downgrade(who);
    who.downgrading = downgrade_step::unknown;
}

void lock_queue::send_downgrade(ticket& who) {
    who.downgrading = downgrade_step::sent;
    const auto id = who.id;
    const auto path = path_of(who);
    if (context_.rules.sets_before_downgrade())
        context_.requests.send({.op = operation::set, .path = path, .data = "downgraded\n"},
                               [](const reply&) {});
    context_.requests.send({.op = operation::downgrade,
                            .path = path,
                            .data = data_of(who),
                            .target = who.name.as_downgraded().under(path_)},
                           [this, id](const reply& answer) {
                               if (const auto found = context_.find(id))
                                   on_downgrade(*found, answer);
                           });
}

void lock_queue::on_downgrade(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == ok || context_.rules.takes_unknown_for_downgraded(answer.code))
        return be_reader(who, 0);
    if (outcome_unknown(answer.code)) {
        who.downgrading = downgrade_step::unknown;
        return;
    }
    // Another hand deleted the ticket, or an earlier try has come through late.
    if (answer.code == no_node || answer.code == node_exists)
        return ask_for_downgraded(who);
    who.downgrading = downgrade_step::none;
    end_downgrade(who, answer.code == no_auth ? failure::create_denied : failure::server_error,
                  answer.code);
    watch_own(who); // what it heard meanwhile was not heeded
}

// The old name first: where it is gone, the answer for the new one is final.
void lock_queue::ask_for_downgraded(ticket& who) {
    who.downgrading = downgrade_step::asked;
    const auto id = who.id;
    context_.requests.send({.op = operation::get, .path = path_of(who)},
                           [this, id](const reply& answer) {
                               if (const auto found = context_.find(id))
                                   on_undowngraded(*found, answer);
                           });
    context_.requests.send({.op = operation::get, .path = who.name.as_downgraded().under(path_)},
                           [this, id](const reply& answer) {
                               if (const auto found = context_.find(id))
                                   on_downgraded(*found, answer);
                           });
}

void lock_queue::on_undowngraded(ticket& who, const reply& answer) {
    if (answer.code == zookeeper_code::ok && answer.stat.czxid == who.czxid)
        who.downgrading = downgrade_step::still_there;
    else if (refused(answer.code))
        context_.drop_connection(); // a server with too much to do: asked again elsewhere
}

void lock_queue::on_downgraded(ticket& who, const reply& answer) {
    using enum zookeeper_code;
    const bool stands =
        std::exchange(who.downgrading, downgrade_step::unknown) == downgrade_step::still_there;
    if (answer.code == ok && answer.stat.ephemeral_owner == context_.session_id)
        return be_reader(who, answer.stat.czxid);
    if (answer.code == no_node && stands)
        return send_downgrade(who);
    if (answer.code == no_node && !context_.dropping) {
        who.downgrading = downgrade_step::none;
        return on_deleted_outside(who);
    }
    if (answer.code == ok) { // another program has taken the name
        who.downgrading = downgrade_step::none;
        return end_downgrade(who, failure::server_error, node_exists);
    }
    if (!outcome_unknown(answer.code))
        context_.drop_connection();
}

// One that was held back on its way fails, unless another node has the old name by then.
void lock_queue::expect_late_downgrades() {
    auto names = leaving_.in_doubt();
    for (const auto& who : tickets_)
        if (who->is_downgrading())
            names.push_back(who->name.as_downgraded());
    if (context_.rules.expects_late_downgrade(!names.empty()))
        recovery_.expect_late(names);
}

void lock_queue::be_reader(ticket& who, std::int64_t czxid) {
    const auto heirs = order_->heirs_of(who);
    forget_own_watch(who);
    who.downgrading = downgrade_step::none;
    who.name = who.name.as_downgraded();
    who.kind = ticket_kind::shared;
    who.czxid = czxid;
    who.crowded = false; // its name says that it is clear
    const auto cost =
        ticket_cost(context_.options.chroot_bytes + path_.size() + 1 + who.name.length());
    if (cost > who.cost) // the name is longer
        context_.bytes.take(cost - std::exchange(who.cost, cost));
    if (context_.requests.connected())
        watch_own(who); // and tells its czxid
    order_->on_downgrade(who, heirs);
    end_downgrade(who, failure::none);
}

void lock_queue::end_downgrade(ticket& who, failure why, zookeeper_code code) {
    if (const auto caller = who.end_downgrade())
        context_.events.on_downgraded(caller, why, code);
}

} // namespace turnstile::protocol
