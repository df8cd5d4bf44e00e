// SPDX-License-Identifier: BSL-1.0
// Leases that are there: granted, held, lost, and deleted.
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_name.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

void semaphore::take_over(acquire& who, const reply& answer, std::size_t first_lease,
                          std::int64_t czxid) {
    who.leases.clear();
    for (auto i = first_lease; i < answer.results.size(); ++i) {
        const auto& made = answer.results[i].path;
        who.leases.push_back(made.substr(made.rfind('/') + 1));
    }
    who.czxid = czxid;
    who.unseen = false;
}

// The server's counter is near its end, or past it.
bool semaphore::is_exhausted(const acquire& who) {
    return std::ranges::any_of(who.leases, [this](const std::string& text) {
        const auto name = lease_name::parse(text);
        highest_ = std::max(highest_, name ? name->sequence : sequence_limit);
        return !name || name->sequence >= sequence_limit;
    });
}

// Granted on a fresh lease of the session only, as any lock, and on a connection that has shown the
// leases.
void semaphore::confirm(acquire& who) {
    who.now = stage::confirming;
    if (context_.lease_is_fresh() && !who.unseen && who.czxid != 0)
        return grant(who);
    if (!context_.requests.connected())
        return; // again on the next connection
    const auto id = who.id;
    const auto attempt = who.attempt;
    request what{.op = operation::transact, .path = path_};
    for (const auto& name : who.leases)
        what.steps.push_back({.what = step_kind::check, .path = lease_path(name)});
    const auto is_same = [this, id, attempt] {
        const auto found = find(id);
        return found && found->now == stage::confirming && found->attempt == attempt;
    };
    if (who.czxid == 0) // of one that was found: its czxid is the token
        send({.op = operation::get, .path = lease_path(who.leases.front())},
             [this, id, is_same](const reply& answer) {
                 if (!is_same())
                     return;
                 if (answer.code == zookeeper_code::ok)
                     find(id)->czxid = answer.stat.czxid;
                 else if (answer.code == zookeeper_code::no_auth) // nobody knows for how long
                     cancel(id, failure::read_denied, answer.code);
             });
    send(what, [this, id, is_same](const reply& answer) {
        if (!is_same() || outcome_unknown(answer.code))
            return;
        auto& still = *find(id);
        if (answer.code == zookeeper_code::no_node) { // another hand's deed: begin anew
            drop_leases(still, 0);
            still.now = stage::starting;
            if (restart(still))
                start_all();
            return;
        }
        if (answered(answer.code) && still.czxid != 0 && context_.lease_is_fresh())
            return grant(still);
        context_.prove_anew([&] { confirm(still); });
    });
}

void semaphore::grant(acquire& who) {
    who.now = stage::held;
    who.unknown_takes.clear();
    who.deadline.cancel();
    context_.held.insert(who.id);
    context_.tell_deadline();
    context_.events.on_granted(who.id, who.czxid);
    watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

void semaphore::watch_own_later(acquire& who, duration delay) {
    who.own_watch.set(context_.now() + delay, [this, id = who.id] {
        if (const auto found = find(id); found && found->now == stage::held)
            watch_own(*found);
    });
}

void semaphore::watch_own(acquire& who) {
    if (!context_.requests.connected())
        return;
    for (const auto& name : who.leases)
        send({.op = operation::get, .path = lease_path(name), .watch = true},
             [this, name, id = who.id, epoch = epoch_](const reply& answer) {
                 if (epoch != epoch_)
                     return;
                 if (const auto still = find(id); still && refused(answer.code))
                     return watch_own_later(*still,
                                            lease_plan::asked_again(context_.lease.timeout()));
                 if (answer.code == zookeeper_code::no_node)
                     return static_cast<void>(on_missing(lease_path(name)));
                 if (answer.code != zookeeper_code::ok)
                     return;
                 context_.watches.remove(lease_path(name), watcher_); // once is enough
                 context_.watches.add(lease_path(name), watcher_);
             });
}

bool semaphore::on_missing(const std::string& node) {
    for (const auto& [id, who] : acquires_)
        if (who->now >= stage::held && std::ranges::any_of(who->leases, [&](const auto& name) {
                return lease_path(name) == node;
            })) {
            lose_lease(*who);
            return true;
        }
    return false;
}

// What is left of its leases is deleted, also the one that only a read showed to be gone.
void semaphore::lose_lease(acquire& who) {
    if (!rules_.loses_with_one())
        return;
    const bool was_held = who.now == stage::held;
    const auto id = who.id;
    const auto handles = who.others;
    drop_leases(who, 0);
    erase(id);
    if (!was_held)
        return;
    context_.events.on_note(note_level::info, "held lease deleted from outside: " + path_);
    tell_lost(id, handles, failure::lost_deleted);
}

void semaphore::tell_lost(ticket_id id, const std::vector<ticket_id>& others, failure why) {
    context_.events.on_lost(id, why);
    for (const auto other : others)
        context_.events.on_lost(other, why);
}

void semaphore::lose(ticket_id id) {
    const auto who = find(id);
    if (!who || who->now != stage::held)
        return;
    context_.held.erase(id);
    who->now = stage::lost;
    const auto end = context_.lease.deadline().value_or(context_.now());
    who->place_expiry.set(end, [this, id] {
        const auto found = find(id);
        if (!found || found->now != stage::lost)
            return;
        drop_leases(*found, 0);
        erase(id);
    });
    tell_lost(id, std::vector(who->others), failure::lost_deadline);
}

void semaphore::share(ticket_id holder, ticket_id further) {
    const auto who = holder_of(holder);
    if (!who)
        return;
    who->others.push_back(further);
    family_.owners.emplace(further, this);
}

bool semaphore::release(ticket_id id) {
    const auto who = holder_of(id);
    if (!who)
        return false;
    const bool was_lost = who->now == stage::lost; // told, and nothing to wait for
    if (!who->others.empty()) {
        // The acquire is known by one of the handles: another one takes its part.
        if (id == who->id) {
            auto moved = acquires_.extract(id);
            auto& old = *moved.mapped();
            auto heir = std::make_unique<acquire>(old.others.front(), context_.clock);
            heir->now = old.now;
            heir->count = old.count;
            heir->attempt = old.attempt;
            heir->leases = std::move(old.leases);
            heir->czxid = old.czxid;
            heir->others.assign(old.others.begin() + 1, old.others.end());
            heir->paid = std::exchange(old.paid, 0);
            if (context_.held.erase(id) > 0)
                context_.held.insert(heir->id);
            const auto end = old.place_expiry.due();
            const auto next = heir->id;
            if (end && was_lost)
                heir->place_expiry.set(*end, [this, next] {
                    if (const auto found = find(next); found && found->now == stage::lost) {
                        drop_leases(*found, 0);
                        erase(next);
                    }
                });
            if (!was_lost)
                watch_own_later(*heir, lease_plan::spread(context_.lease.timeout()));
            acquires_.emplace(next, std::move(heir));
        } else {
            std::erase(who->others, id);
        }
        family_.owners.erase(id);
        context_.events.on_released(id, was_lost ? failure::lost_deadline : failure::none,
                                    zookeeper_code::ok);
        return true;
    }
    drop_leases(*who, was_lost ? 0 : id);
    erase(id);
    seen_free_ = true;
    if (was_lost)
        context_.events.on_released(id, failure::lost_deadline, zookeeper_code::ok);
    return true;
}

std::vector<std::string> semaphore::leases_of(ticket_id id) const {
    std::vector<std::string> paths;
    if (const auto who = find(id))
        for (const auto& name : who->leases)
            paths.push_back(lease_path(name));
    return paths;
}

std::size_t semaphore::sharers_of(const std::string& lease) const {
    const auto owner = std::ranges::find_if(acquires_, [&](const auto& entry) {
        return std::ranges::any_of(entry.second->leases, [&](const std::string& name) {
            return lease_path(name) == lease;
        });
    });
    return owner == acquires_.end() ? 0 : 1 + owner->second->others.size();
}

void semaphore::drop_leases(acquire& who, ticket_id release) {
    for (const auto& name : who.leases)
        context_.watches.remove(lease_path(name), watcher_);
    who.own_watch.cancel();
    leaving_.add(std::exchange(who.leases, {}), release);
}

// Whoever waits might wait for a lease of its own session, until that ends.
void semaphore::on_lease_gone() {
    if (leaving_.retrying())
        return; // the answers to the others decide with this one
    if (leaving_.denied())
        return fail_waiting(failure::release_denied, zookeeper_code::no_auth);
    start_all();
    restart_numbers();
}

} // namespace turnstile::protocol
