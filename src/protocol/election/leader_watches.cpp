// SPDX-License-Identifier: BSL-1.0
#include "protocol/election/leader_watches.hpp"

#include "protocol/names/line_order.hpp"

namespace turnstile::protocol {

void leader_watches::begin(inquiry_id id, const std::string& path) {
    auto& added = open_.try_emplace(id).first->second;
    added.path = path;
    added.since = context_.now();
    if (context_.requests.connected())
        list(id, added);
}

bool leader_watches::cancel(inquiry_id id, failure why) {
    const auto found = open_.find(id);
    if (found == open_.end())
        return false;
    forget_watch(id, found->second);
    open_.erase(found);
    context_.events.on_inquiry_failed(id, why);
    return true;
}

void leader_watches::on_connected() {
    for (auto& [id, each] : open_)
        list(id, each);
}

void leader_watches::on_disconnected() {
    again_.cancel();
    for (auto& [id, each] : open_) {
        if (each.now == phase::watching) // the watch went with the connection
            each.since = context_.now();
        each.now = phase::waiting;
        each.flight = 0;
        each.strays.clear();
    }
}

bool leader_watches::on_watch(inquiry_id id) {
    const auto found = open_.find(id);
    if (found == open_.end())
        return false;
    if (found->second.now == phase::watching)
        begin_anew(id, found->second);
    return true;
}

void leader_watches::read_again() {
    for (auto& [id, each] : open_)
        if (each.now == phase::watching) {
            forget_watch(id, each);
            begin_anew(id, each);
        }
}

// What was no ticket may have gone, and its name be another node's.
void leader_watches::begin_anew(inquiry_id id, follower& who) {
    who.since = context_.now();
    who.strays.clear();
    list(id, who);
}

void leader_watches::fail_all(failure why) {
    again_.cancel();
    while (!open_.empty())
        cancel(open_.begin()->first, why);
}

template <class Then>
void leader_watches::ask(inquiry_id id, follower& who, const request& what, Then then) {
    who.now = phase::asking;
    who.flight = ++flights_;
    context_.requests.send(what, [this, id, flight = who.flight, then](const reply& answer) {
        const auto found = open_.find(id);
        if (found == open_.end() || found->second.flight != flight ||
            outcome_unknown(answer.code)) // asked again on the next connection
            return;
        if (answer.code == zookeeper_code::throttled) {
            found->second.now = phase::waiting;
            again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
                for (auto& [waiting, each] : open_)
                    if (each.now == phase::waiting && context_.requests.connected())
                        list(waiting, each);
            });
            return;
        }
        if (refused(answer.code)) {
            cancel(id, failure_of_read(answer.code));
            return;
        }
        then(found->second, answer);
    });
}

void leader_watches::list(inquiry_id id, follower& who, bool watches) {
    ask(id, who, {.op = operation::get_children, .path = who.path, .watch = watches},
        [this, id, watches](follower& self, const reply& answer) {
            on_list(id, self, answer, watches);
        });
}

void leader_watches::on_list(inquiry_id id, follower& who, const reply& answer, bool watches) {
    if (answer.code == zookeeper_code::no_node)
        return await_path(id, who);
    who.line = in_order_of_line(answer.children);
    std::erase_if(who.line, [&](const auto& node) { return who.strays.contains(node); });
    if (!who.line.empty())
        return read(id, who);
    if (!watches) // the watch of a listing is set only where it is needed
        return list(id, who, true);
    watch(id, who, who.path, watch_kind::children);
    tell(id, who, {});
}

void leader_watches::await_path(inquiry_id id, follower& who) {
    ask(id, who, {.op = operation::exists, .path = who.path, .watch = true},
        [this, id](follower& self, const reply& answer) {
            if (answer.code == zookeeper_code::ok)
                return list(id, self);
            watch(id, self, self.path, watch_kind::data);
            tell(id, self, {});
        });
}

void leader_watches::read(inquiry_id id, follower& who) {
    ask(id, who, {.op = operation::get, .path = who.path + '/' + who.line.front(), .watch = true},
        [this, id](follower& self, const reply& answer) { on_first(id, self, answer); });
}

void leader_watches::on_first(inquiry_id id, follower& who, const reply& answer) {
    if (answer.code == zookeeper_code::no_node)
        return list(id, who);
    const auto node = who.line.front();
    // A node that goes with no session is no ticket, whatever it is called.
    if (answer.stat.ephemeral_owner == 0) {
        who.strays.insert(node);
        who.line.erase(who.line.begin());
        return who.line.empty() ? list(id, who) : read(id, who);
    }
    watch(id, who, who.path + '/' + node, watch_kind::data);
    tell(id, who,
         {.node = node,
          .data = answer.data,
          .czxid = answer.stat.czxid,
          .session = answer.stat.ephemeral_owner,
          .ctime = answer.stat.ctime});
}

void leader_watches::watch(inquiry_id id, follower& who, const std::string& node, watch_kind kind) {
    who.now = phase::watching;
    who.watched = node;
    who.kind = kind;
    context_.watches.add(node, id, kind);
}

void leader_watches::forget_watch(inquiry_id id, follower& who) {
    if (who.now == phase::watching)
        context_.watches.remove(who.watched, id, who.kind);
}

void leader_watches::tell(inquiry_id id, follower& who, first_in_line&& found) {
    if (who.told == found)
        return;
    who.told = std::move(found);
    const auto news = *who.told;
    context_.events.on_leader(id, news);
}

} // namespace turnstile::protocol
