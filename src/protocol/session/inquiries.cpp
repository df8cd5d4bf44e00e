// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/inquiries.hpp"

namespace turnstile::protocol {

namespace {

watch_kind kind_of(operation op) {
    return op == operation::get_children ? watch_kind::children : watch_kind::data;
}

} // namespace

void inquiries::begin(inquiry_id id, const request& what, instant since,
                      std::optional<instant> end) {
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
    context_.requests.send(which.what, [this, id](const reply& answer) { on_answer(id, answer); });
}

void inquiries::send_waiting() {
    for (auto& [id, each] : open_)
        if (each.now == state::waiting)
            send(id, each);
}

void inquiries::on_answer(inquiry_id id, const reply& answer) {
    const auto found = open_.find(id);
    if (found == open_.end() || found->second.now != state::sent)
        return; // cancelled
    auto& which = found->second;
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
    const bool watched =
        which.what.watch &&
        (answer.code == zookeeper_code::ok ||
         (answer.code == zookeeper_code::no_node && which.what.op == operation::exists));
    if (watched) {
        which.now = state::answered;
        context_.watches.add(which.what.path, id, kind_of(which.what.op));
    } else {
        open_.erase(found);
    }
    context_.events.on_answer(id, answer);
}

void inquiries::on_watch(inquiry_id id) {
    const auto found = open_.find(id);
    if (found != open_.end() && context_.requests.connected())
        send(id, found->second);
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

void inquiries::fail(inquiry_id id, failure why) {
    const auto gone = open_.extract(id);
    const auto& what = gone.mapped().what;
    if (gone.mapped().now == state::answered)
        context_.watches.remove(what.path, id, kind_of(what.op));
    context_.events.on_inquiry_failed(id, why);
}

void inquiries::fail_all(failure why) {
    again_.cancel();
    while (!open_.empty())
        fail(open_.begin()->first, why);
}

} // namespace turnstile::protocol
