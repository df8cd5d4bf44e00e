// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/pending_permits.hpp"

#include <utility>

namespace turnstile::protocol {

std::size_t pending_permits::cost_of(const std::string& name) const {
    return ticket_cost(context_.options.chroot_bytes + folder_.size() + 1 + name.size());
}

void pending_permits::add(const std::vector<std::string>& names, ticket_id release) {
    const auto batch = names.size() > 1 ? ++batches_ : 0;
    for (const auto& name : names)
        leaving_.emplace(name, entry{.release = release, .batch = batch});
    if (release != 0)
        releases_[release] += names.size();
    send(names);
}

void pending_permits::add_strays(const std::vector<std::string>& names) {
    for (const auto& name : names) {
        leaving_.emplace(name, entry{.tried = true});
        send({name});
    }
}

void pending_permits::retry() {
    for (const auto& name : std::exchange(denied_, {})) {
        context_.bytes.give(cost_of(name));
        ++retrying_;
        leaving_.emplace(name, entry{.tried = true, .denied = true});
        send({name});
    }
}

void pending_permits::flush() {
    if (!context_.requests.connected())
        return;
    std::map<std::uint64_t, std::vector<std::string>> batches;
    for (const auto& [name, what] : leaving_) {
        if (what.sent)
            continue;
        if (what.batch == 0)
            send({name});
        else
            batches[what.batch].push_back(name);
    }
    for (const auto& [batch, names] : batches)
        send(names);
}

void pending_permits::flush_later() {
    if (!again_.pending())
        again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()),
                   [this] { flush(); });
}

void pending_permits::send(const std::vector<std::string>& names) {
    if (names.empty() || !context_.requests.connected())
        return;
    request what{.op = operation::transact, .path = folder_.substr(0, folder_.rfind('/'))};
    for (const auto& name : names) {
        leaving_.at(name).sent = true;
        what.steps.push_back({.what = step_kind::remove, .path = path_of(name)});
    }
    if (names.size() > 1)
        return send_(what, [this, names](const reply& answer) { on_all_removed(names, answer); });
    send_({.op = operation::remove, .path = path_of(names.front())},
          [this, name = names.front()](const reply& answer) {
              if (const auto which = leaving_.find(name); which != leaving_.end())
                  on_removed(which, answer);
          });
}

void pending_permits::on_all_removed(const std::vector<std::string>& names, const reply& answer) {
    const bool throttled = answer.code == zookeeper_code::throttled;
    for (const auto& name : names) {
        const auto which = leaving_.find(name);
        if (which == leaving_.end())
            continue; // it went with the session
        if (answer.code == zookeeper_code::ok) {
            settle(which, failure::none, answer.code);
            continue;
        }
        which->second.sent = false;
        which->second.tried |= outcome_unknown(answer.code);
        if (!throttled)
            which->second.batch = 0;
    }
    if (answer.code == zookeeper_code::ok)
        gone_();
    else if (throttled)
        flush_later();
    else if (!outcome_unknown(answer.code))
        flush();
}

void pending_permits::on_removed(entries::iterator which, const reply& answer) {
    using enum zookeeper_code;
    auto& what = which->second;
    switch (answer.code) {
    case ok:
        return finish(which, failure::none, ok);
    case no_node: // gone before our first try: another hand had deleted it
        return finish(which, what.tried ? failure::none : failure::lost_deleted, ok);
    case no_auth:
        return finish(which, failure::release_denied, answer.code);
    case throttled:
        what.sent = false;
        return flush_later();
    default:
        break;
    }
    what.sent = false;
    what.tried = true;
    if (!outcome_unknown(answer.code))
        context_.drop_connection(); // it may stand: deleted again on the next connection
}

void pending_permits::finish(entries::iterator which, failure why, zookeeper_code code) {
    settle(which, why, code);
    gone_();
}

// A release of several leases ends with the last of them.
void pending_permits::settle(entries::iterator which, failure why, zookeeper_code code) {
    const auto name = which->first;
    const auto what = which->second;
    leaving_.erase(which);
    if (what.denied)
        --retrying_;
    if (why == failure::release_denied) {
        context_.bytes.take(cost_of(name));
        denied_.insert(name);
        if (!what.denied)
            context_.events.on_note(note_level::warning,
                                    "DELETE is denied, the lease stays until the session ends: " +
                                        path_of(name));
    }
    if (const auto waits = releases_.find(what.release); waits != releases_.end()) {
        if (why != failure::none)
            refusals_[what.release] = {why, code};
        if (--waits->second == 0) {
            releases_.erase(waits);
            const auto refused = refusals_.extract(what.release);
            const auto told =
                refused ? refused.mapped() : std::pair{failure::none, zookeeper_code::ok};
            context_.events.on_released(what.release, told.first, told.second);
        }
    }
}

void pending_permits::stop_waiting(failure why) {
    refusals_.clear();
    for (const auto& [release, count] : std::exchange(releases_, {}))
        context_.events.on_released(release, why, zookeeper_code::ok);
}

void pending_permits::on_expired(failure releases) {
    again_.cancel();
    leaving_.clear();
    retrying_ = 0;
    for (const auto& name : std::exchange(denied_, {}))
        context_.bytes.give(cost_of(name));
    stop_waiting(releases);
}

} // namespace turnstile::protocol
