#include "protocol/session/inquiries.hpp"

#include "protocol/session/overdue.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

watch_kind kind_of(operation op) {
    return op == operation::get_children ? watch_kind::children : watch_kind::data;
}

} // namespace

void inquiries::begin(inquiry_id id, const request& what) {
    auto& added = open_.emplace(id, inquiry{.what = what, .since = context_.now()}).first->second;
    if (context_.requests.connected())
        return send(id, added);
    watch_limit();
}

void inquiries::cancel(inquiry_id id) {
    if (open_.contains(id))
        fail(id, failure::cancelled);
}

void inquiries::send(inquiry_id id, inquiry& which) {
    which.now = state::sent;
    context_.requests.send(which.what, {request_purpose::inquiry, id},
                           [this, id](const reply& answer) { on_answer(id, answer); });
}

void inquiries::wait(inquiry& which) {
    which.now = state::waiting;
    which.since = context_.now();
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
        wait(which);
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

void inquiries::on_connected() {
    unreachable_.cancel();
    send_waiting();
}

void inquiries::on_disconnected() {
    again_.cancel();
    for (auto& [id, each] : open_)
        if (each.now != state::waiting) // else an attempt to connect has failed
            wait(each);
    watch_limit();
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
    unreachable_.cancel();
    while (!open_.empty())
        fail(open_.begin()->first, why);
}

void inquiries::watch_limit() {
    if (!open_.empty() && !unreachable_.pending())
        unreachable_.set(context_.now() + context_.options.unreachable_limit,
                         [this] { end_unreachable(); });
}

void inquiries::end_unreachable() {
    overdue waits{.now = context_.now()};
    for (const auto& [id, each] : open_)
        waits.add(id, each.since + context_.options.unreachable_limit);
    if (waits.next)
        unreachable_.set(*waits.next, [this] { end_unreachable(); });
    for (const auto id : waits.ids)
        fail(id, failure::unreachable);
}

} // namespace turnstile::protocol
