// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/inquiries.hpp"

#include <set>

namespace turnstile::protocol {

void inquiries::begin(inquiry_id id, const std::shared_ptr<path_question>& what,
                      std::optional<instant> end) {
    auto& added = all_.try_emplace(id, what, context_.now(), context_.clock).first->second;
    if (end)
        added.deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    ask(id);
}

void inquiries::ask(inquiry_id id) {
    const auto& which = all_.at(id);
    const auto since = which.what->waits_anew() ? context_.now() : which.began;
    if (which.what->needs_path())
        return make_path_(id, which.what->question().path, since);
    for (const auto& [number, what] : which.what->next()) {
        const request_key key(id, number);
        if (const auto before = open_.find(key); before != open_.end())
            forget(before);
        auto& added = open_.try_emplace(key, open_request{what, since}).first->second;
        if (context_.requests.connected())
            send(key, added);
    }
}

void inquiries::go_on(inquiry_id id) {
    auto& what = *all_.at(id).what;
    if (what.over())
        return tell_end(id);
    if (what.has_news())
        context_.events.on_answer(id, what);
    ask(id);
}

void inquiries::tell_end(inquiry_id id) {
    forget_requests(id);
    const auto over = all_.extract(id);
    context_.events.on_answer(id, *over.mapped().what);
}

void inquiries::fail(inquiry_id id, failure why) {
    all_.at(id).what->end(why);
    tell_end(id);
}

void inquiries::cancel(inquiry_id id, failure why) {
    const auto found = all_.find(id);
    if (found == all_.end())
        return;
    auto& what = *found->second.what;
    if (why == failure::unreachable && what.outlasts_limit())
        return;
    const bool awaits = what.awaits(); // before take_back() has it send the removal
    if (why != failure::cancelled || !what.take_back())
        return fail(id, why);
    if (awaits) // else an answer is open, and on_answer() asks then
        ask(id);
}

bool inquiries::on_path(inquiry_id id, failure why, zookeeper_code code) {
    const auto found = all_.find(id);
    if (found == all_.end())
        return false;
    found->second.what->on_path(why, code); // only a question that waits for its path is here
    go_on(id);
    return true;
}

void inquiries::send(const request_key& key, open_request& which) {
    which.phase = state::sent;
    which.flight = ++flights_;
    const auto what = which.form();
    if (is_write(what.op))
        all_.at(key.first).has_written = true;
    context_.requests.send(what, [this, key, flight = which.flight](const reply& answer) {
        on_answer(key, flight, answer);
    });
}

void inquiries::send_waiting() {
    for (auto& [key, each] : open_)
        if (each.phase == state::waiting)
            send(key, each);
}

void inquiries::on_answer(const request_key& key, std::uint64_t flight, const reply& answer) {
    const auto entry = open_.find(key);
    if (entry == open_.end() || entry->second.phase != state::sent ||
        entry->second.flight != flight)
        return; // the request is gone, waits, or was sent again
    auto& which = entry->second;
    const bool unknown = outcome_unknown(answer.code);
    if (answer.code == zookeeper_code::throttled || (unknown && !is_write(which.what.op))) {
        which.phase = state::waiting;
        if (!unknown)
            context_.ask_later(again_, [this] {
                if (context_.requests.connected())
                    send_waiting();
            });
        return;
    }
    // If the node has come or gone since an `exists` was sent, the request is sent once more, in
    // the form that fits.
    const bool follows = which.what.watch && which.what.op == operation::exists;
    const bool found = answer.code == zookeeper_code::ok;
    const bool missing = answer.code == zookeeper_code::no_node;
    if (follows && (found || missing) && which.is_there != found) {
        which.is_there = found;
        return send(key, which);
    }
    const bool watched = which.what.watch && (found || (follows && missing));
    if (watched) {
        which.phase = state::watching;
        context_.watches.add(which.what.path, key.first, kind_of(which.what.op));
    } else {
        open_.erase(entry);
    }
    hand_answer_over(key, answer);
}

void inquiries::hand_answer_over(const request_key& key, const reply& answer) {
    has_told_ = true;
    all_.at(key.first).what->on_answer_to(key.second, answer);
    go_on(key.first);
}

void inquiries::on_watch(inquiry_id id, watch_event event, const std::string& node) {
    auto found = open_.lower_bound({id, 0}); // a question watches a node by one request
    while (found != open_.end() && found->first.first == id && found->second.what.path != node)
        ++found;
    if (found == open_.end() || found->first.first != id || !context_.requests.connected())
        return;
    const auto key = found->first;
    // The node that was read is no more: a ticket's data changes by its release alone.
    if (found->second.what.op == operation::get) {
        open_.erase(found);
        return hand_answer_over(key, {.code = zookeeper_code::no_node});
    }
    if (found->second.what.op == operation::exists)
        found->second.is_there = event != watch_event::deleted;
    ask_again(key, found->second);
}

void inquiries::read_again() {
    for (auto& [key, each] : open_)
        if (each.phase == state::watching) {
            context_.watches.remove(each.what.path, key.first, kind_of(each.what.op));
            ask_again(key, each);
        }
}

void inquiries::ask_again(const request_key& key, open_request& which) {
    which.since = context_.now();
    send(key, which);
}

void inquiries::on_connected() { send_waiting(); }

void inquiries::on_disconnected() {
    again_.cancel();
    for (auto& [key, each] : open_) {
        if (each.phase == state::watching) // its watch ended with the connection
            each.since = context_.now();
        each.phase = state::waiting;
    }
    for (auto& [id, each] : all_)
        if (each.what->starts_over())
            ask(id);
}

inquiries::request_table::iterator inquiries::forget(request_table::iterator which) {
    const auto& [key, gone] = *which;
    if (gone.phase == state::watching)
        context_.watches.remove(gone.what.path, key.first, kind_of(gone.what.op));
    return open_.erase(which);
}

void inquiries::forget_requests(inquiry_id id) {
    for (auto each = open_.lower_bound({id, 0}); each != open_.end() && each->first.first == id;)
        each = forget(each);
}

void inquiries::fail_all(failure why) {
    again_.cancel();
    std::set<inquiry_id> with_requests; // the others wait for their path, and end with that
    for (const auto& [key, each] : open_)
        with_requests.insert(key.first);
    for (const auto id : with_requests)
        cancel(id, why);
}

} // namespace turnstile::protocol
