// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/inquiries.hpp"

namespace turnstile::protocol {

void inquiries::begin(inquiry_id id, const request& what, instant since,
                      std::optional<instant> end) {
    forget(id);
    auto& added = open_.try_emplace(id, what, since, context_.clock).first->second;
    if (end)
        added.deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    if (context_.requests.connected())
        send(id, added);
}

void inquiries::cancel(inquiry_id id, failure why) {
    if (open_.contains(id))
        fail(id, why);
}

void inquiries::send(inquiry_id id, inquiry& which) {
    which.now = state::sent;
    which.flight = ++flights_;
    auto what = which.what;
    if (which.is_there)
        what.op = operation::get;
    context_.requests.send(what, [this, id, flight = which.flight](const reply& answer) {
        on_answer(id, flight, answer);
    });
}

void inquiries::send_waiting() {
    for (auto& [id, each] : open_)
        if (each.now == state::waiting)
            send(id, each);
}

void inquiries::on_answer(inquiry_id id, std::uint64_t flight, const reply& answer) {
    const auto entry = open_.find(id);
    if (entry == open_.end() || entry->second.now != state::sent || entry->second.flight != flight)
        return; // cancelled, or another question by now
    auto& which = entry->second;
    const bool unknown = outcome_unknown(answer.code);
    if (answer.code == zookeeper_code::throttled || (unknown && !is_write(which.what.op))) {
        which.now = state::waiting;
        if (!unknown)
            again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()), [this] {
                if (context_.requests.connected())
                    send_waiting();
            });
        return;
    }
    // `exists` leaves a watch on a missing node, too.
    const bool follows = which.what.watch && which.what.op == operation::exists;
    const bool found = answer.code == zookeeper_code::ok;
    const bool missing = answer.code == zookeeper_code::no_node;
    if (follows && (found || missing) && std::exchange(which.is_there, found) != found)
        return send(id, which);
    const bool watched = which.what.watch && (found || (follows && missing));
    if (watched) {
        which.now = state::answered;
        context_.watches.add(which.what.path, id, kind_of(which.what.op));
    } else {
        open_.erase(entry);
    }
    has_told_ = true;
    context_.events.on_answer(id, answer);
}

void inquiries::on_watch(inquiry_id id, watch_event event) {
    const auto found = open_.find(id);
    if (found == open_.end() || !context_.requests.connected())
        return;
    if (found->second.what.op == operation::get) {
        open_.erase(found);
        return context_.events.on_answer(id, {.code = zookeeper_code::no_node});
    }
    if (found->second.what.op == operation::exists)
        found->second.is_there = event != watch_event::deleted;
    ask_again(id, found->second);
}

void inquiries::read_again() {
    for (auto& [id, each] : open_)
        if (each.now == state::answered) {
            context_.watches.remove(each.what.path, id, kind_of(each.what.op));
            ask_again(id, each);
        }
}

void inquiries::ask_again(inquiry_id id, inquiry& which) {
    which.since = context_.now();
    send(id, which);
}

void inquiries::on_connected() { send_waiting(); }

void inquiries::on_disconnected() {
    again_.cancel();
    for (auto& [id, each] : open_) {
        if (each.now == state::answered) // the watch went with the connection
            each.since = context_.now();
        each.now = state::waiting;
    }
}

void inquiries::forget(inquiry_id id) {
    const auto gone = open_.extract(id);
    if (gone && gone.mapped().now == state::answered)
        context_.watches.remove(gone.mapped().what.path, id, kind_of(gone.mapped().what.op));
}

void inquiries::fail(inquiry_id id, failure why) {
    forget(id);
    context_.events.on_inquiry_failed(id, why);
}

void inquiries::fail_all(failure why) {
    again_.cancel();
    while (!open_.empty())
        fail(open_.begin()->first, why);
}

} // namespace turnstile::protocol
