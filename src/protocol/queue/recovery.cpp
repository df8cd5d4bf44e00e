#include "protocol/queue/recovery.hpp"

#include "protocol/names/ticket_data.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

bool recovery::unresolved() const {
    return std::any_of(queue_.tickets_.begin(), queue_.tickets_.end(), [](const auto& entry) {
        return entry.second->phase == ticket_phase::unresolved;
    });
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
    strays_.clear();
}

void recovery::begin() {
    const auto current = std::make_shared<run>();
    current->sweep = sweep_wanted_ && !sweep_.pending();
    for (const auto& [id, who] : queue_.tickets_)
        if (who->phase == ticket_phase::unresolved)
            current->tickets.push_back(id);
    running_ = current;
    again_.cancel();
    context_.requests.send({.op = operation::get_children, .path = queue_.path_},
                           request_purpose::recover, [this, current](const reply& listing) {
                               if (running_ == current)
                                   examine(current, listing);
                           });
}

void recovery::examine(const std::shared_ptr<run>& current, const reply& listing) {
    using enum zookeeper_code;
    if (outcome_unknown(listing.code))
        return; // begun again on the next connection
    if (refused(listing.code) && !context_.mutated(mutant::refused_listing_is_empty))
        return refuse(current, listing.code);
    if (listing.code == no_node)
        queue_.directory_.vanished();
    else if (listing.code == ok)
        queue_.learn_incarnation(listing.stat.czxid);
    // In another incarnation the sequences began anew: then all have to be read.
    const auto floor_of = [&](std::int64_t incarnation, std::int32_t floor) {
        return incarnation == listing.stat.czxid ? floor : -1;
    };
    auto floor = sweep_wanted_ ? floor_of(sweep_incarnation_, sweep_floor_) : sequence_limit;
    for (const auto id : current->tickets)
        if (const auto who = context_.find(id))
            floor = std::min(floor, floor_of(who->name.incarnation, who->floor));
    sweep_floor_ = floor;
    sweep_incarnation_ = current->incarnation = listing.stat.czxid;
    for (const auto& child : listing.children) {
        const auto name = ticket_name::parse(child);
        if (!name || name->sequence <= floor || queue_.knows(*name))
            continue;
        ++current->open;
        context_.requests.send({.op = operation::get, .path = queue_.path_ + '/' + child},
                               request_purpose::read_for_recovery,
                               [this, current, name = *name](const reply& answer) {
                                   if (running_ == current)
                                       on_read(current, name, answer);
                               });
    }
    if (current->open == 0)
        conclude(current);
}

void recovery::on_read(const std::shared_ptr<run>& current, const ticket_name& name,
                       const reply& answer) {
    if (outcome_unknown(answer.code))
        return;
    // What this session made it may read: whatever it may not read is somebody else's.
    if (refused(answer.code) && answer.code != zookeeper_code::no_auth &&
        !context_.mutated(mutant::refused_read_is_foreign))
        return refuse(current, answer.code);
    if (answer.code == zookeeper_code::ok && (answer.stat.ephemeral_owner == context_.session_id ||
                                              context_.mutated(mutant::no_owner_check)))
        current->finds.push_back({name, answer.stat.czxid, std::string(request_of(answer.data))});
    if (--current->open == 0)
        conclude(current);
}

void recovery::refuse(const std::shared_ptr<run>& current, zookeeper_code code) {
    running_.reset();
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
        if (!running_)
            begin();
    });
    if (code == zookeeper_code::no_auth) // nobody knows for how long
        for (const auto id : current->tickets)
            if (const auto who = context_.find(id))
                queue_.cancel(*who, failure::read_denied, code);
}

void recovery::conclude(const std::shared_ptr<run>& current) {
    running_.reset();
    if (current->sweep)
        sweep_wanted_ = false;
    auto& finds = current->finds;
    std::sort(finds.begin(), finds.end(),
              [](const find& a, const find& b) { return a.czxid < b.czxid; });
    std::vector<ticket*> lost;
    for (const auto id : current->tickets) {
        const auto who = context_.find(id);
        if (!who || who->phase != ticket_phase::unresolved)
            continue;
        const auto node = std::find_if(finds.begin(), finds.end(),
                                       [&](const find& f) { return f.request == who->request; });
        if (node == finds.end()) {
            lost.push_back(who);
            continue;
        }
        const auto kept = *node;
        finds.erase(node);
        adopt(*who, kept, current->incarnation);
    }
    for (const auto& node : finds) // second tries of an acquire, or of one that is over
        if (!queue_.knows(node.name))
            queue_.leaving_.add({.name = node.name, .czxid = node.czxid});
    for (const auto who : lost) {
        if (who->abandoned)
            queue_.erase(*who);
        else
            queue_.place(*who);
    }
    if (!current->tickets.empty())
        sweep_later();
    delete_strays();
}

void recovery::delete_strays() {
    if (open() && !context_.mutated(mutant::own_unknown_ticket_deleted))
        return;
    for (const auto& [name, czxid] : std::exchange(strays_, {}))
        if (!queue_.knows(name))
            queue_.leaving_.add({.name = name, .czxid = czxid});
}

void recovery::adopt(ticket& who, const find& node, std::int64_t incarnation) {
    const auto id = who.id;
    who.name = node.name;
    ++who.epoch;
    queue_.settle(who, node.czxid, node.name.sequence);
    const auto still = context_.find(id);
    if (!still || still->phase != ticket_phase::finding_predecessor)
        return; // an abandoned ticket has left by now
    if (incarnation != still->name.incarnation &&
        !context_.mutated(mutant::names_without_incarnation))
        return queue_.leave_wrong_incarnation(*still);
    still->tries = 0;
    queue_.find_predecessor(*still);
}

void recovery::sweep_later() {
    if (context_.mutated(mutant::no_sweep))
        return;
    sweep_wanted_ = true;
    sweep_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
        if (context_.requests.connected() && !running_)
            begin();
    });
}

void recovery::meet_stray(const ticket_name& name, std::int64_t czxid) {
    strays_.push_back({name, czxid});
    delete_strays();
}

} // namespace turnstile::protocol
