// SPDX-License-Identifier: BSL-1.0
#include "protocol/yield/yield_request.hpp"

#include "protocol/election/first_ticket.hpp"
#include "protocol/yield/yield_wait.hpp"

namespace turnstile::protocol {

request yield_request::question() const {
    using enum operation;
    switch (now_) {
    case step::listing:
        return {.op = get_children, .path = path_};
    case step::asking:
        return {.op = transact,
                .path = path_,
                .steps = {{.what = step_kind::create_ephemeral, .path = node_, .data = text()}}};
    case step::looking:
        return {.op = get, .path = node_};
    case step::leaving:
        return {.op = remove, .path = node_};
    default:
        return {.op = get, .path = ticket(), .watch = now_ == step::waiting};
    }
}

// An answer that is open may tell that the node was made.
bool yield_request::take_back() {
    taken_back_ = true;
    if (awaits() && made_)
        take(step::leaving);
    return made_ || now_ == step::asking || now_ == step::looking;
}

void yield_request::take(step next) {
    now_ = next;
    is_watched_ = false;
}

void yield_request::end_taken_back() {
    return made_ ? take(step::leaving) : end(failure::cancelled);
}

void yield_request::on_answer(const reply& answer) {
    if (outcome_unknown(answer.code)) // of a write
        return take(now_ == step::asking ? step::looking : now_);
    switch (now_) {
    case step::listing:
        return on_list(answer);
    case step::asking:
        return on_made(answer);
    case step::looking:
        return on_found(answer);
    case step::leaving:
        return end(failure::none); // the node goes with the session at the latest
    default:
        return on_ticket(answer);
    }
}

void yield_request::on_list(const reply& answer) {
    if (answer.code != zookeeper_code::ok && answer.code != zookeeper_code::no_node)
        return end(failure_of_read(answer.code), answer.code);
    first_ = first_in_line(answer.children, strays_);
    return first_.empty() ? end(failure::not_held) : take(step::reading);
}

// Of the first ticket, before it is asked, and while its end is awaited.
void yield_request::on_ticket(const reply& answer) {
    const bool waited = now_ == step::waiting;
    if (answer.code == zookeeper_code::no_node && is_watched_) // an event: it has gone, or was set
        return take(now_);
    if (answer.code == zookeeper_code::no_node && waited)
        return made_ ? take(step::leaving) : end(failure::none);
    if (answer.code == zookeeper_code::no_node)
        return take(step::listing);
    if (answer.code != zookeeper_code::ok)
        return end(failure_of_read(answer.code), answer.code);
    // Another ticket of the same name is not the one that was meant. To leave ends the watch, too.
    if (taken_back_ || (waited && answer.stat.czxid != czxid_))
        return take(step::leaving);
    if (answer.stat.ephemeral_owner == 0) { // it goes with no session, and so is no ticket
        strays_.insert(first_);
        return take(step::listing);
    }
    if (is_watched_) // after a reconnect: our node may have gone with an expired session
        return take(step::looking);
    is_watched_ = waited;
    if (waited)
        return;
    czxid_ = answer.stat.czxid;
    node_ = yield_node_of(path_, first_, czxid_);
    take(step::asking);
}

void yield_request::on_made(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == node_exists) // another's, or ours: an answer may have been lost before
        return take(step::looking);
    made_ = answer.code == ok;
    if (!made_ && answer.code != no_node)
        return end(answer.code == no_auth ? failure::create_denied : failure::server_error,
                   answer.code);
    if (taken_back_)
        return end_taken_back();
    take(made_ ? step::waiting : step::listing); // nor is the path there that the node lay beside
}

void yield_request::on_found(const reply& answer) {
    const bool found = answer.code == zookeeper_code::ok;
    if (!found && answer.code != zookeeper_code::no_node)
        return end(failure_of_read(answer.code), answer.code);
    made_ = found && answer.data == text();
    if (taken_back_)
        return end_taken_back();
    take(found ? step::waiting : step::asking);
}

} // namespace turnstile::protocol
