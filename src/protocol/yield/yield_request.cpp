// SPDX-License-Identifier: BSL-1.0
#include "protocol/yield/yield_request.hpp"

#include "protocol/election/first_ticket.hpp"
#include "protocol/yield/yield_text.hpp"

namespace turnstile::protocol {

request yield_request::question() const {
    using enum operation;
    switch (now_) {
    case step::listing:
        return {.op = get_children, .path = path_};
    case step::reading:
        return {.op = get, .path = ticket()};
    case step::asking:
        return {.op = transact,
                .path = path_,
                .steps = {{.what = step_kind::create_ephemeral, .path = node_, .data = text()}}};
    case step::looking:
        return {.op = get, .path = node_};
    case step::clearing:
        return {.op = transact,
                .path = path_,
                .steps = {{.what = step_kind::remove, .path = node_, .version = version_}}};
    case step::waiting:
        return {.op = get, .path = ticket(), .watch = true};
    default:
        return {.op = remove, .path = node_};
    }
}

// An answer that is open may tell that the node was made.
bool yield_request::take_back() {
    taken_back_ = true;
    if (awaits() && made_)
        take(step::leaving);
    return made_ || now_ == step::asking || now_ == step::looking;
}

std::string yield_request::ticket() const { return path_ + '/' + first_; }

std::string yield_request::text() const {
    return yield_text::str(who_, mark_.str(), czxid_, reason_);
}

void yield_request::take(step next) {
    now_ = next;
    asked_ = false;
}

void yield_request::on_answer(const reply& answer) {
    using enum zookeeper_code;
    if (now_ == step::leaving && !outcome_unknown(answer.code))
        return end(failure::none); // the node goes with the session at the latest
    if (outcome_unknown(answer.code))
        return take(now_ == step::asking || now_ == step::clearing ? step::looking : now_);
    switch (now_) {
    case step::listing:
        return on_list(answer);
    case step::asking:
        return on_made(answer);
    case step::looking:
        return on_found(answer);
    case step::clearing:
        if (answer.code == no_auth)
            return end(failure::release_denied, answer.code);
        return take(step::looking);
    default:
        return on_ticket(answer);
    }
}

void yield_request::on_list(const reply& answer) {
    node_ = yield_node_of(path_);
    if (answer.code != zookeeper_code::ok && answer.code != zookeeper_code::no_node)
        return end(failure_of_read(answer.code), answer.code);
    first_ = first_in_line(answer.children, strays_);
    if (first_.empty()) // there is nobody to ask
        return end(failure::not_held);
    take(step::reading);
}

// Of the first ticket, before it is asked, and while its end is awaited.
void yield_request::on_ticket(const reply& answer) {
    const bool waited = now_ == step::waiting;
    if (answer.code == zookeeper_code::no_node && asked_) // an event: it has gone, or was set
        return take(now_);
    if (answer.code == zookeeper_code::no_node)
        return waited && !made_ ? end(failure::none) : take(waited ? step::leaving : step::listing);
    if (answer.code != zookeeper_code::ok)
        return end(failure_of_read(answer.code), answer.code);
    if (taken_back_)
        return take(step::leaving);
    if (waited && answer.stat.czxid != czxid_) { // another ticket of the same name
        is_gone_ = true;
        return take(step::looking); // which ends the watch as well
    }
    if (answer.stat.ephemeral_owner == 0) { // it goes with no session, and so is no ticket
        strays_.insert(first_);
        return take(step::listing);
    }
    czxid_ = answer.stat.czxid;
    if (!waited)
        return take(step::asking);
    if (asked_) // after a reconnect: our node may have gone with an expired session
        return take(step::looking);
    asked_ = true;
}

void yield_request::on_made(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == node_exists) // another's, or ours: an answer may have been lost before
        return take(step::looking);
    if (answer.code == no_node) // nor is the lock path there any more, which lay beside it
        return taken_back_ ? end(failure::cancelled) : take(step::listing);
    if (answer.code != ok)
        return end(answer.code == no_auth ? failure::create_denied : failure::server_error,
                   answer.code);
    made_ = true;
    take(taken_back_ ? step::leaving : step::waiting);
}

void yield_request::on_found(const reply& answer) {
    using enum zookeeper_code;
    const auto without_node = is_gone_ ? failure::none : failure::cancelled;
    const bool ends = is_gone_ || taken_back_;
    if (answer.code == no_node)
        return ends ? end(without_node) : take(step::asking);
    if (answer.code != ok)
        return end(failure_of_read(answer.code), answer.code);
    const auto there = yield_text::parse(answer.data);
    made_ = answer.data == text();
    if (ends)
        return made_ ? take(step::leaving) : end(without_node);
    version_ = answer.stat.version;
    take(there && there->meant == czxid_ ? step::waiting : step::clearing);
}

} // namespace turnstile::protocol
