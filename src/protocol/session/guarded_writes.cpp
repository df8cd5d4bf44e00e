// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/guarded_writes.hpp"

#include <algorithm>
#include <cstddef>

namespace turnstile::protocol {

namespace {

// The default of a server's jute.maxbuffer. The server cuts a connection that sends more.
constexpr std::size_t largest_request = 0xf'ffff;

} // namespace

std::vector<transaction_step> guarded_writes::checks_for(const guarded_write& what) const {
    std::vector<transaction_step> checks;
    for (const auto lock : what.locks) {
        const auto own = kinds_.proof_of(lock);
        if (own.empty())
            return {};
        checks.insert(checks.end(), own.begin(), own.end());
    }
    return checks;
}

void guarded_writes::begin(inquiry_id id, const guarded_write& what) {
    open_.try_emplace(id, write{what, context_.now()});
}

void guarded_writes::send(inquiry_id id, write& which,
                          const std::vector<transaction_step>& checks) {
    which.sent = true;
    request what{.op = operation::transact, .steps = checks};
    what.steps.insert(what.steps.end(), which.what.steps.begin(), which.what.steps.end());
    if (bytes_on_wire(what) > largest_request)
        return end(id, failure::none, {.code = zookeeper_code::too_large});
    ++context_.open_writes;
    context_.requests.send(
        what, [this, id, checks](const reply& answer) { on_answer(id, checks, answer); });
}

std::size_t guarded_writes::bytes_on_wire(const request& what) const {
    constexpr std::size_t of_check = 32;
    auto bytes = bytes_of(what);
    for (const auto& step : what.steps) {
        const bool is_check = step.what == step_kind::check;
        bytes += context_.options.chroot_bytes + context_.options.acl_bytes;
        bytes += is_check ? of_check + step.path.size() : 0;
    }
    return bytes;
}

void guarded_writes::on_answer(inquiry_id id, const std::vector<transaction_step>& checks,
                               const reply& answer) {
    --context_.open_writes;
    if (outcome_unknown(answer.code))
        context_.late_writes_until =
            context_.now() + lease_plan::late_create(context_.lease.timeout());
    const auto failed = failed_step(answer);
    const bool ticket_is_gone = failed < std::min(checks.size(), answer.results.size()) &&
                                answer.code == zookeeper_code::no_node;
    if (ticket_is_gone)
        kinds_.on_missing(checks[failed].path); // a beat would report it, too
    const auto entry = open_.find(id);
    if (entry == open_.end())
        return; // cancelled
    if (ticket_is_gone)
        return end(id, failure::ticket_deleted, {});
    if (turns_to_other_form(entry->second, answer.code))
        return; // the end of this input sends it
    reply own_steps = answer;
    if (own_steps.results.size() >= checks.size())
        own_steps.results.erase(own_steps.results.begin(),
                                own_steps.results.begin() +
                                    static_cast<std::ptrdiff_t>(checks.size()));
    end(id, failure::none, own_steps);
}

bool guarded_writes::turns_to_other_form(write& which, zookeeper_code code) const {
    if (!which.what.makes)
        return false;
    auto& step = which.what.steps.front().what;
    const bool sets = step == step_kind::set;
    if (code != (sets ? zookeeper_code::no_node : zookeeper_code::node_exists))
        return false;
    step = sets ? step_kind::create : step_kind::set;
    which.since = context_.now();
    which.sent = false;
    return true;
}

void guarded_writes::end(inquiry_id id, failure why, const reply& answer) {
    const auto over = open_.extract(id);
    context_.events.on_written(id, over.mapped().what, why, answer);
}

bool guarded_writes::cancel(inquiry_id id, failure why) {
    const auto found = open_.find(id);
    if (found == open_.end())
        return false;
    if (found->second.sent && why != failure::cancelled) // no answer will be waited for
        end(id, failure::none, {.code = zookeeper_code::connection_loss});
    else
        end(id, why, {});
    return true;
}

void guarded_writes::end_input() {
    for (auto next = open_.begin(); next != open_.end();) {
        auto& [id, each] = *next++; // its end erases it
        if (each.sent)
            continue;
        const auto checks = checks_for(each.what);
        if (checks.empty())
            cancel(id, failure::not_held);
        else if (context_.requests.connected())
            send(id, each, checks);
    }
}

void guarded_writes::fail_all(failure why) {
    while (!open_.empty())
        cancel(open_.begin()->first, why);
}

} // namespace turnstile::protocol
