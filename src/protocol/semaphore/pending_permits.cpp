// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/pending_permits.hpp"

#include "protocol/semaphore/semaphore.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

bool pending_permits::contains(const std::string& node) const {
    return denied_.contains(node) || std::ranges::any_of(leaving_, [&](const auto& each) {
               return std::ranges::find(each.second.nodes, node) != each.second.nodes.end();
           });
}

void pending_permits::add(std::vector<std::string> nodes, ticket_id release) {
    if (nodes.empty())
        return;
    if (release != 0)
        releases_[release].standing += nodes.size();
    send({.nodes = std::move(nodes), .release = release});
}

void pending_permits::add_strays(const std::vector<std::string>& nodes) {
    for (const auto& node : nodes)
        send({.nodes = {node}, .tried = true});
}

void pending_permits::retry_denied() {
    if (!denied_.empty())
        retry(denied_.begin()->first);
}

void pending_permits::retry(const std::string& node) {
    auto permit = denied_.extract(node);
    send({.nodes = {std::move(permit.key())}, .tried = true, .denied = true});
}

void pending_permits::flush() {
    for (auto which = leaving_.begin(); which != leaving_.end(); ++which)
        if (!which->second.sent)
            send(which);
}

void pending_permits::send(batch what) {
    send(leaving_.emplace(++last_batch_, std::move(what)).first);
}

void pending_permits::send(batches::iterator which) {
    if (!context_.requests.connected())
        return;
    auto& what = which->second;
    what.sent = true;
    request deletion{.op = operation::remove, .path = what.nodes.front()};
    if (what.nodes.size() > 1) {
        deletion = {.op = operation::transact, .path = owner_.path()};
        for (const auto& node : what.nodes)
            deletion.steps.push_back({.what = step_kind::remove, .path = node});
    }
    owner_.send(deletion, [this, number = which->first](const reply& answer) {
        if (const auto still = leaving_.find(number); still != leaving_.end())
            on_answer(still, answer);
    });
}

void pending_permits::on_answer(batches::iterator which, const reply& answer) {
    using enum zookeeper_code;
    auto& what = which->second;
    what.sent = false;
    if (answer.code == ok)
        return end(which, failure::none, ok);
    if (answer.code == throttled) {
        context_.ask_later(again_, [this] { flush(); });
    } else if (outcome_unknown(answer.code)) {
        what.tried = true;
    } else if (what.nodes.size() > 1) { // each by itself
        const auto several = leaving_.extract(which).mapped();
        for (const auto& node : several.nodes)
            send({.nodes = {node}, .release = several.release, .tried = several.tried});
    } else if (answer.code == no_node) { // at the first try: another program deleted it
        end(which, what.tried ? failure::none : failure::ticket_deleted, ok);
    } else if (answer.code == no_auth) {
        end(which, failure::release_denied, no_auth);
    } else {
        what.tried = true;
        context_.drop_connection(); // it may stand: deleted again on the next connection
    }
}

// A release of several permits ends with the last of them.
void pending_permits::end(batches::iterator which, failure why, zookeeper_code code) {
    const auto what = leaving_.extract(which).mapped();
    if (why == failure::release_denied) {
        const auto& node = what.nodes.front();
        denied_.emplace(
            node, claim(context_.bytes, ticket_cost(context_.options.chroot_bytes + node.size())));
        if (!what.denied)
            context_.events.on_note(log_level::warning,
                                    "DELETE is denied: the permit stays until the right is given, "
                                    "or the session ends: " +
                                        node);
    } else if (what.denied) {
        while (!denied_.empty())
            retry(denied_.begin()->first);
    }
    if (const auto waits = releases_.find(what.release); waits != releases_.end()) {
        if (why != failure::none) {
            waits->second.why = why;
            waits->second.code = code;
        }
        waits->second.standing -= what.nodes.size();
        if (waits->second.standing == 0) {
            const auto result = releases_.extract(waits).mapped();
            context_.lock_events.on_released(what.release, result.why, result.code);
        }
    }
    owner_.start_all();
}

void pending_permits::stop_waiting(failure why) {
    for (const auto& [release, result] : std::exchange(releases_, {}))
        context_.lock_events.on_released(release, why, zookeeper_code::ok);
}

void pending_permits::on_expired(failure releases) {
    again_.cancel();
    leaving_.clear();
    denied_.clear();
    stop_waiting(releases);
}

} // namespace turnstile::protocol
