// SPDX-License-Identifier: BSL-1.0
#include "protocol/yield/yield_request.hpp"

#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace turnstile::protocol {

std::string yield_node_of(const std::string& lock_path, std::string_view ticket,
                          std::int64_t czxid) {
    constexpr std::size_t digits = 10;
    const auto sequence = ticket.substr(ticket.size() - std::min(ticket.size(), digits));
    const auto meant = ticket == holder_name ? std::to_string(czxid) : std::string(sequence);
    return lock_path + '%' + meant + "%yield";
}

request yield_request::question() const {
    switch (now_) {
    case step::asking:
        return {.op = operation::transact,
                .path = path_,
                .steps = {{.what = step_kind::create_ephemeral, .path = node_, .data = text()}}};
    case step::looking:
        return {.op = operation::get, .path = node_};
    case step::leaving:
        return {.op = operation::remove, .path = node_};
    default:
        return first_.question();
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

// What was made goes first.
void yield_request::end_early() {
    if (made_ && now_ != step::leaving)
        return take(step::leaving);
    const auto why = taken_back_ ? failure::cancelled : failure::none;
    end(refused(refused_) ? failure_of_read(refused_) : why, refused_);
}

void yield_request::on_answer(const reply& answer) {
    if (outcome_unknown(answer.code)) // of a write
        return take(now_ == step::asking ? step::looking : now_);
    switch (now_) {
    case step::asking:
        return on_made(answer);
    case step::looking:
        return on_found(answer);
    case step::leaving:
        return end_early(); // the node goes with the session at the latest
    default:
        return on_first(answer);
    }
}

// Before it is asked, and while its end is awaited.
void yield_request::on_first(const reply& answer) {
    if (refused(answer.code))
        refused_ = answer.code;
    if (taken_back_ || refused(refused_))
        return end_early();
    const bool was_watched = std::exchange(is_watched_, false);
    if (!first_.on_answer(answer))
        return;
    const auto& found = first_.found().stat;
    if (now_ == step::waiting && found.czxid != meant_)
        return take(step::leaving);
    if (was_watched) // after a reconnect: our node may have gone with an expired session
        return take(step::looking);
    is_watched_ = now_ == step::waiting;
    if (is_watched_)
        return;
    if (found.ephemeral_owner == 0)
        return end(failure::not_held);
    meant_ = found.czxid;
    node_ = yield_node_of(path_, first_.name(), meant_);
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
        return end_early();
    take(made_ ? step::waiting : step::finding); // nor is the path there that the node lay beside
}

void yield_request::on_found(const reply& answer) {
    const bool found = answer.code == zookeeper_code::ok;
    if (!found && answer.code != zookeeper_code::no_node)
        return end(failure_of_read(answer.code), answer.code);
    made_ = found && answer.data == text();
    if (taken_back_)
        return end_early();
    take(found ? step::waiting : step::asking);
}

} // namespace turnstile::protocol
