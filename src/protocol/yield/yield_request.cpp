// SPDX-License-Identifier: BSL-1.0
#include "protocol/yield/yield_request.hpp"

#include <utility>

namespace turnstile::protocol {

request yield_request::question() const {
    const auto writes = [this](step_kind what, std::string data = {}) -> request {
        return {.op = operation::transact,
                .path = node_,
                .steps = {{what, node_, std::move(data),
                           what == step_kind::create_ephemeral ? -1 : version_}}};
    };
    switch (step_) {
    case step::asking:
        return writes(step_kind::create_ephemeral, text());
    case step::looking:
    case step::looking_back:
        return {.op = operation::get, .path = node_};
    case step::overwriting:
        return writes(step_kind::set, text());
    case step::leaving:
        return writes(step_kind::remove);
    case step::voiding:
        return writes(step_kind::set);
    case step::finding:
    case step::waiting:
        break;
    }
    auto result = first_.question();
    if (step_ == step::waiting && result.op == operation::get)
        result.watch = true; // of the ticket that was asked
    return result;
}

// While it asks, looks or overwrites, the answer to come may show that it has made the node.
bool yield_request::take_back() {
    taken_back_ = true;
    if (awaits() && made_)
        enter(step::leaving);
    return made_ || step_ == step::asking || step_ == step::looking || step_ == step::overwriting;
}

void yield_request::enter(step next) {
    step_ = next;
    is_watched_ = false;
}

void yield_request::finish() {
    if (made_ && step_ != step::leaving && step_ != step::voiding)
        return enter(step::leaving);
    const auto why = taken_back_ ? failure::cancelled : failure::none;
    end(refused(refused_) ? failure_of_read(refused_) : why, refused_);
}

void yield_request::on_answer(const reply& answer) {
    if (outcome_unknown(answer.code)) { // of a write
        const bool leaves = step_ == step::leaving || step_ == step::voiding;
        return enter(leaves ? step::looking_back : step::looking);
    }
    switch (step_) {
    case step::asking:
        return on_made(answer);
    case step::looking:
        return on_looked(answer);
    case step::looking_back:
        return on_looked_back(answer);
    case step::overwriting:
        return on_overwritten(answer);
    case step::leaving:
        return on_left(answer);
    case step::voiding:
        return finish();
    case step::finding:
    case step::waiting:
        return on_first(answer);
    }
}

// The answer to first_.question(), in two steps: `finding`, before the ticket is asked, and
// `waiting`, while its end is awaited.
void yield_request::on_first(const reply& answer) {
    if (refused(answer.code))
        refused_ = answer.code;
    if (taken_back_ || refused(refused_))
        return finish();
    const bool was_watched = std::exchange(is_watched_, false);
    if (!first_.on_answer(answer))
        return;
    if (step_ == step::finding)
        return on_first_found();
    if (first_.found().stat.czxid != meant_) // the ticket that was asked is gone
        return made_ ? enter(step::leaving) : go_on();
    if (was_watched) // after a reconnect: our node may have gone with an expired session
        return enter(step::looking);
    is_watched_ = true;
}

// A waiter that is the first itself, or finds no ticket, watches what comes.
void yield_request::on_first_found() {
    const auto& found = first_.found();
    const bool is_held = found.stat.ephemeral_owner != 0;
    if (is_held && !(is_own_ && is_own_(first_.name(), found))) {
        meant_ = found.stat.czxid;
        return enter(step::asking);
    }
    enter(step::finding);
    is_watched_ = is_own_ != nullptr;
    if (!is_watched_)
        end(failure::not_held);
}

void yield_request::go_on() {
    if (!is_own_ || taken_back_)
        return finish();
    made_ = false;
    enter(step::finding);
}

void yield_request::on_made(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == node_exists) // another's node, or ours: an answer may have been lost before
        return enter(step::looking);
    made_ = answer.code == ok;
    version_ = 0;
    if (!made_ && answer.code != no_node)
        return end(answer.code == no_auth ? failure::create_denied : failure::server_error,
                   answer.code);
    if (taken_back_)
        return finish();
    enter(made_ ? step::waiting : step::finding); // not made: the lock path is gone, too
}

void yield_request::on_looked(const reply& answer) {
    const bool found = answer.code == zookeeper_code::ok;
    if (!found && answer.code != zookeeper_code::no_node)
        return end(failure_of_read(answer.code), answer.code);
    version_ = answer.stat.version;
    made_ = found && answer.data == text();
    if (taken_back_)
        return finish();
    const auto other = ticket_data::parse(answer.data);
    if (!found)
        enter(step::asking);
    else
        enter(made_ || (other && other->ticket == ticket()) ? step::waiting : step::overwriting);
}

// The node meant a ticket that is gone: its asker could not delete it, or has not yet.
void yield_request::on_overwritten(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == bad_version || answer.code == no_node)
        return enter(step::looking);
    made_ = answer.code == ok;
    if (!made_)
        return end(answer.code == no_auth ? failure::create_denied : failure::server_error,
                   answer.code);
    ++version_;
    if (taken_back_)
        return finish();
    enter(step::waiting);
}

void yield_request::on_looked_back(const reply& answer) {
    version_ = answer.stat.version;
    if (answer.code == zookeeper_code::ok && answer.data == text())
        return enter(step::leaving);
    made_ = false;
    refused(refused_) ? finish() : go_on();
}

// All other failures are ignored. The node goes with the session at the latest, or another asker
// has written over it.
void yield_request::on_left(const reply& answer) {
    if (answer.code == zookeeper_code::no_auth && taken_back_)
        return enter(step::voiding); // the ticket that it means still stands
    refused(refused_) ? finish() : go_on();
}

} // namespace turnstile::protocol
