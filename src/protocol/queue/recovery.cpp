// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/recovery.hpp"

#include "protocol/names/ticket_data.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

bool recovery::unresolved() const {
    return !queue_.tickets().ids_in(ticket_phase::unresolved).empty();
}

void recovery::on_connected() {
    if (unresolved() || (sweep_wanted_ && !sweep_.pending()))
        begin();
    else
        delete_strays();
}

void recovery::on_disconnected() {
    running_.reset();
    again_.cancel();
}

void recovery::on_expired() { // whatever was created is gone with the session
    on_disconnected();
    sweep_.cancel();
    sweep_wanted_ = false;
    late_.clear();
    strays_.clear();
}

void recovery::begin() {
    const auto current = std::make_shared<run>();
    current->is_sweep = sweep_wanted_ && !sweep_.pending();
    current->tickets = queue_.tickets().ids_in(ticket_phase::unresolved);
    running_ = current;
    again_.cancel();
    context_.requests.send({.op = operation::get_children, .path = queue_.path()},
                           [this, current](const reply& listing) {
                               if (running_ == current)
                                   on_listed(current, listing);
                           });
}

// No create that is looked for has made a node up to this number. In another incarnation the
// numbers began anew: then all nodes have to be read.
std::int32_t recovery::highest_known(const run& current, std::int64_t listed) const {
    const auto floor_of = [&](std::int64_t incarnation, std::int32_t floor) {
        return incarnation == listed ? floor : -1;
    };
    auto floor = sweep_wanted_ ? floor_of(sweep_incarnation_, sweep_floor_) : sequence_limit;
    for (const auto id : current.tickets)
        if (const auto who = table_.find(id))
            floor = std::min(floor, floor_of(who->name.incarnation, who->floor));
    return floor;
}

void recovery::on_listed(const std::shared_ptr<run>& current, const reply& listing) {
    using enum zookeeper_code;
    if (outcome_unknown(listing.code))
        return; // begun again on the next connection
    if (refused(listing.code))
        return on_refused(current, listing.code);
    if (listing.code == no_node)
        queue_.directory().on_vanished();
    else if (listing.code == ok)
        queue_.learn_incarnation(listing.stat.czxid);
    sweep_floor_ = highest_known(*current, listing.stat.czxid);
    sweep_incarnation_ = current->incarnation = listing.stat.czxid;
    const auto is_late = [&](const ticket_name& name) {
        return current->is_sweep && std::find(late_.begin(), late_.end(), name) != late_.end();
    };
    for (const auto& child : listing.children) {
        const auto name = ticket_name::parse(child);
        if (!name || (name->sequence <= sweep_floor_ && !is_late(*name)) || queue_.knows(*name))
            continue;
        ++current->open;
        context_.requests.send({.op = operation::get, .path = queue_.path() + '/' + child},
                               [this, current, name = *name](const reply& answer) {
                                   if (running_ == current)
                                       on_read(current, name, answer);
                               });
    }
    if (current->open == 0)
        assign_nodes(current);
}

void recovery::on_read(const std::shared_ptr<run>& current, const ticket_name& name,
                       const reply& answer) {
    if (outcome_unknown(answer.code))
        return;
    if (refused(answer.code) && answer.code != zookeeper_code::no_auth) // its own nodes it may read
        return on_refused(current, answer.code);
    if (answer.code == zookeeper_code::ok && answer.stat.ephemeral_owner == context_.session_id)
        current->finds.push_back({name, answer.stat.czxid, std::string(request_of(answer.data))});
    if (--current->open == 0)
        assign_nodes(current);
}

void recovery::on_refused(const std::shared_ptr<run>& current, zookeeper_code code) {
    running_.reset();
    context_.ask_later(again_, [this] {
        if (!running_)
            begin();
    });
    if (code == zookeeper_code::no_auth) // it may last for ever, so these acquires fail (A9)
        for (const auto id : current->tickets)
            if (const auto who = table_.find(id))
                queue_.cancel(*who, failure::read_denied, code);
}

void recovery::assign_nodes(const std::shared_ptr<run>& current) {
    running_.reset();
    if (current->is_sweep) {
        sweep_wanted_ = false;
        late_.clear();
    }
    auto& finds = current->finds;
    std::ranges::sort(finds, {}, &own_node::czxid);
    std::vector<ticket*> not_made;
    for (const auto id : current->tickets) {
        const auto who = table_.find(id);
        if (!who || who->phase != ticket_phase::unresolved)
            continue;
        const auto node = std::ranges::find(finds, who->mark.str(), &own_node::request);
        if (node == finds.end()) {
            not_made.push_back(who);
            continue;
        }
        const auto kept = *node;
        finds.erase(node);
        queue_.enqueues().adopt(*who, kept.name, kept.czxid, current->incarnation);
    }
    for (const auto& node : finds) // from second tries of acquires, or from acquires that are over
        queue_.delete_unknown(node.name, node.czxid);
    for (const auto who : not_made)
        queue_.enqueues().on_not_made(*who);
    if (!current->tickets.empty())
        sweep_later();
    delete_strays();
}

void recovery::delete_strays() {
    if (open())
        return;
    for (const auto& stray : std::exchange(strays_, {}))
        queue_.delete_unknown(stray.name, stray.czxid);
}

void recovery::sweep_later() {
    sweep_wanted_ = true;
    sweep_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
        if (context_.requests.connected() && !running_)
            begin();
    });
}

void recovery::expect_late(const std::vector<ticket_name>& names) {
    if (!sweep_wanted_) { // no other create is open
        sweep_floor_ = sequence_limit;
        sweep_incarnation_ = names.front().incarnation;
    }
    for (const auto& name : names)
        if (std::find(late_.begin(), late_.end(), name) == late_.end())
            late_.push_back(name);
    sweep_later();
}

void recovery::meet_stray(const ticket_name& name, std::int64_t czxid) {
    strays_.push_back({name, czxid});
    delete_strays();
}

} // namespace turnstile::protocol
