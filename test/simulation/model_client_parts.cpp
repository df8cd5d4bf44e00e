// SPDX-License-Identifier: BSL-1.0
// What a model client does for a model_multi, which takes several locks as one: look-ups of the
// keys of lock paths, and acquires of the parts that are on this client.
#include "model_client.hpp"

#include "support/names.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using protocol::failure;
using protocol::instant;
using protocol::ticket_id;

// One acquire goes the usual way. More of them go into one transaction.
void model_client::begin(const std::vector<part>& together) {
    std::vector<protocol::session_machine::one_of_several> wishes;
    for (const auto& each : together) {
        know(each.id, {.what = each.what, .told = each.told, .beside = true});
        ask(each.id, each.what);
        wishes.push_back({.id = each.id, .what = each.what});
    }
    input([wishes](auto& machine, instant now) {
        if (wishes.size() > 1)
            machine.acquire(now, wishes);
        else
            machine.acquire(now, wishes.front().id, wishes.front().what);
    });
}

// The news comes as an event of its own, since the machine may not be called from its listener.
bool model_client::tell_part(ticket_id id, promises::happening what, failure why) {
    const auto& told = acquires_.at(id).told;
    if (!told)
        return false;
    around_.ensemble.events().after({}, [told, what, why] { told(what, why); });
    return true;
}

protocol::inquiry_id model_client::look_up(const protocol::acquire_request& what,
                                           key_listener then) {
    const auto id = ++last_inquiry_;
    note("looks up " + what.path);
    look_ups_.emplace(id, key_wish{.like = {.what = what}, .then = std::move(then)});
    input([id, what](auto& machine, instant now) { machine.look_up(now, id, what); });
    return id;
}

void model_client::end_look_up(protocol::inquiry_id id, failure why,
                               const protocol::lock_key& key) {
    const auto wish = std::move(look_ups_.extract(id).mapped());
    note("look-up of " + wish.like.what.path + " ends: " + name_of(why));
    if (why != failure::none && !is_expected(wish.like, why))
        around_.report(name_ + "'s look-up of " + wish.like.what.path +
                       " failed without a reason: " + name_of(why));
    around_.ensemble.events().after({}, [then = wish.then, why, key] { then(why, key); });
}

void model_client::give_up(ticket_id id) {
    if (dead_)
        return;
    if (paused()) {
        backlog_.push_back([this, id] { give_up(id); });
        return;
    }
    cancel(id);
}

void model_client::give_up_look_up(protocol::inquiry_id id) {
    input([this, id](auto& machine, instant now) {
        const auto wish = look_ups_.find(id);
        if (wish == look_ups_.end())
            return machine.on_time(now); // it has ended meanwhile
        wish->second.like.cancelled = true;
        machine.cancel(now, id);
    });
}

} // namespace turnstile::test
