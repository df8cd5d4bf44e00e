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
    switch (now_) {
    case step::asking:
        return writes(step_kind::create_ephemeral, text());
    case step::looking:
    case step::looking_back:
        return {.op = operation::get, .path = node_};
    case step::taking:
        return writes(step_kind::set, text());
    case step::leaving:
        return writes(step_kind::remove);
    case step::voiding:
        return writes(step_kind::set);
    default:
        auto result = first_.question();
        if (now_ == step::waiting && result.op == operation::get)
            result.watch = true;
        return result;
    }
}

// An answer that is open may show that the node was made.
bool yield_request::take_back() {
    taken_back_ = true;
    if (awaits() && made_)
        take(step::leaving);
    return made_ || now_ == step::asking || now_ == step::looking || now_ == step::taking;
}

void yield_request::take(step next) {
    now_ = next;
    is_watched_ = false;
}

// A node that was made is deleted first.
void yield_request::end_early() {
    if (made_ && now_ != step::leaving && now_ != step::voiding)
        return take(step::leaving);
    const auto why = taken_back_ ? failure::cancelled : failure::none;
    end(refused(refused_) ? failure_of_read(refused_) : why, refused_);
}

void yield_request::on_answer(const reply& answer) {
    if (outcome_unknown(answer.code)) { // of a write
        const bool leaves = now_ == step::leaving || now_ == step::voiding;
        return take(leaves ? step::looking_back : step::looking);
    }
    switch (now_) {
    case step::asking:
        return on_made(answer);
    case step::looking:
        return on_found(answer);
    case step::looking_back:
        return on_found_again(answer);
    case step::taking:
        return on_taken(answer);
    case step::leaving:
        return on_left(answer);
    case step::voiding:
        return end_early();
    default:
        return on_first(answer);
    }
}

// Called before the ticket is asked, and while its end is awaited.
void yield_request::on_first(const reply& answer) {
    if (refused(answer.code))
        refused_ = answer.code;
    if (taken_back_ || refused(refused_))
        return end_early();
    const bool was_watched = std::exchange(is_watched_, false);
    if (!first_.on_answer(answer))
        return;
    if (now_ == step::finding)
        return ask();
    if (first_.found().stat.czxid != meant_)
        return made_ ? take(step::leaving) : go_on();
    if (was_watched) // after a reconnect: our node may have gone with an expired session
        return take(step::looking);
    is_watched_ = true;
}

// The first ticket is known. A waiter that is first, or finds no other ticket, watches what comes.
void yield_request::ask() {
    const auto& found = first_.found();
    const bool is_held = found.stat.ephemeral_owner != 0;
    if (is_held && !(is_own_ && is_own_(first_.name(), found))) {
        meant_ = found.stat.czxid;
        return take(step::asking);
    }
    take(step::finding);
    is_watched_ = is_own_ != nullptr;
    if (!is_watched_)
        end(failure::not_held);
}

// The ticket that was meant is gone.
void yield_request::go_on() {
    if (!is_own_ || taken_back_)
        return end_early();
    made_ = false;
    take(step::finding);
}

void yield_request::on_made(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == node_exists) // another's node, or ours: an answer may have been lost before
        return take(step::looking);
    made_ = answer.code == ok;
    version_ = 0;
    if (!made_ && answer.code != no_node)
        return end(answer.code == no_auth ? failure::create_denied : failure::server_error,
                   answer.code);
    if (taken_back_)
        return end_early();
    take(made_ ? step::waiting : step::finding); // not made: the lock path is gone, too
}

void yield_request::on_found(const reply& answer) {
    const bool found = answer.code == zookeeper_code::ok;
    if (!found && answer.code != zookeeper_code::no_node)
        return end(failure_of_read(answer.code), answer.code);
    version_ = answer.stat.version;
    made_ = found && answer.data == text();
    if (taken_back_)
        return end_early();
    const auto other = ticket_data::parse(answer.data);
    if (!found)
        take(step::asking);
    else
        take(made_ || (other && other->ticket == ticket()) ? step::waiting : step::taking);
}

// The node was one of an asker that could not delete it, or has not yet.
void yield_request::on_taken(const reply& answer) {
    using enum zookeeper_code;
    if (answer.code == bad_version || answer.code == no_node)
        return take(step::looking);
    made_ = answer.code == ok;
    if (!made_)
        return end(answer.code == no_auth ? failure::create_denied : failure::server_error,
                   answer.code);
    ++version_;
    if (taken_back_)
        return end_early();
    take(step::waiting);
}

void yield_request::on_found_again(const reply& answer) {
    version_ = answer.stat.version;
    if (answer.code == zookeeper_code::ok && answer.data == text())
        return take(step::leaving);
    made_ = false;
    refused(refused_) ? end_early() : go_on();
}

// The node goes with the session at the latest. Another asker may have written over it.
void yield_request::on_left(const reply& answer) {
    if (answer.code == zookeeper_code::no_auth && taken_back_)
        return take(step::voiding); // the ticket that it means still stands
    refused(refused_) ? end_early() : go_on();
}

} // namespace turnstile::protocol
