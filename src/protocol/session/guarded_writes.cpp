// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/guarded_writes.hpp"

#include <algorithm>
#include <cstddef>

namespace turnstile::protocol {

std::optional<std::vector<transaction_step>>
guarded_writes::checks_for(const guarded_write& what) const {
    std::vector<transaction_step> checks;
    for (const auto lock : what.locks) {
        const auto own = prove_(lock);
        if (own.empty())
            return std::nullopt;
        checks.insert(checks.end(), own.begin(), own.end());
    }
    return checks;
}

void guarded_writes::begin(inquiry_id id, const guarded_write& what) {
    auto& added = open_.try_emplace(id, what, context_.now()).first->second;
    if (context_.requests.connected())
        send(id, added);
}

// False where a lock is not held any more: then nothing was sent.
bool guarded_writes::send(inquiry_id id, write& which) {
    const auto checks = checks_for(which.what);
    if (!checks)
        return false;
    which.sent = true;
    request what{.op = operation::transact, .steps = *checks};
    what.steps.insert(what.steps.end(), which.what.steps.begin(), which.what.steps.end());
    context_.requests.send(what, [this, id, checks = *checks](const reply& answer) {
        on_answer(id, checks, answer);
    });
    return true;
}

void guarded_writes::on_answer(inquiry_id id, const std::vector<transaction_step>& checks,
                               const reply& answer) {
    const auto failed = failed_step(answer);
    const bool unproved =
        failed < std::min(checks.size(), answer.results.size()) &&
        (answer.code == zookeeper_code::no_node || answer.code == zookeeper_code::bad_version);
    if (unproved)
        missing_(checks[failed].path);
    if (open_.erase(id) == 0)
        return; // cancelled
    if (unproved)
        return context_.events.on_inquiry_failed(id, failure::lost_deleted);
    reply rest = answer;
    if (rest.results.size() >= checks.size())
        rest.results.erase(rest.results.begin(),
                           rest.results.begin() + static_cast<std::ptrdiff_t>(checks.size()));
    context_.events.on_answer(id, rest);
}

bool guarded_writes::cancel(inquiry_id id, failure why) {
    if (open_.erase(id) == 0)
        return false;
    context_.events.on_inquiry_failed(id, why);
    return true;
}

void guarded_writes::on_connected() {
    for (auto& [id, each] : open_)
        if (!each.sent)
            send(id, each);
}

void guarded_writes::end_input() {
    for (auto at = open_.begin(); at != open_.end();) {
        const auto id = at->first;
        const bool refused = !at->second.sent && !checks_for(at->second.what);
        ++at;
        if (refused)
            cancel(id, failure::not_held);
    }
}

void guarded_writes::fail_all(failure why) {
    while (!open_.empty())
        cancel(open_.begin()->first, why);
}

} // namespace turnstile::protocol
