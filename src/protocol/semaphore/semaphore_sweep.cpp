// SPDX-License-Identifier: BSL-1.0
// Answers that were lost: which leases are there, and whose.
//
// The name of a lease tells the session and the attempt that made it. So one listing tells all: a
// lease of an attempt whose answer is awaited, or that is held, is left alone. One that was taken
// in line by an acquire that still waits is held from now on, since nobody else could take it. All
// others of this session belong to nobody, and are deleted.
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/semaphore_names.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

void semaphore::sweep() {
    sweep_wanted_ = sweeping_;
    if (sweeping_ || !context_.requests.connected())
        return;
    sweeping_ = true;
    send({.op = operation::get_children, .path = leases_path_},
         [this, epoch = epoch_](const reply& answer) {
             if (epoch != epoch_ || outcome_unknown(answer.code))
                 return;
             sweeping_ = false;
             on_swept(answer);
         });
}

// Whether it belongs to an acquire whose answer is awaited, or that has it.
bool semaphore::belongs(const lease_name& name, const std::string& text) {
    return std::ranges::any_of(acquires_, [&](const auto& entry) {
        const auto& who = *entry.second;
        const bool open =
            who.now == stage::trying || who.now == stage::trying_first || who.now == stage::taking;
        return (open && who.attempt == name.attempt) ||
               std::ranges::find(who.leases, text) != who.leases.end();
    });
}

void semaphore::on_swept(const reply& answer) {
    if (answer.code == zookeeper_code::no_auth) // those who wait for this listing wait no longer
        fail_waiting(failure::read_denied, answer.code);
    if (refused(answer.code))
        return look_later();
    if (sweep_wanted_) // asked for after this listing was sent
        return sweep();
    sweep_due_ = false;
    std::map<ticket_id, std::vector<std::string>> found;
    std::vector<std::string> nobodys;
    for (const auto& child : answer.children) {
        const auto name = lease_name::parse(child);
        if (!name || name->session != context_.session_id || leaving_.contains(child) ||
            belongs(*name, child))
            continue;
        const auto owner = std::ranges::find_if(acquires_, [&](const auto& entry) {
            const auto& who = *entry.second;
            if (who.abandoned)
                return false;
            if (name->tried)
                return who.now == stage::starting && who.attempt == name->attempt &&
                       rules_.adopts(true);
            const bool waits = who.now == stage::in_line || who.now == stage::first ||
                               who.now == stage::unresolved;
            return waits && who.unknown_takes.contains(name->attempt) && rules_.adopts(false);
        });
        if (owner != acquires_.end())
            found[owner->first].push_back(child);
        else if (rules_.deletes_unknown())
            nobodys.push_back(child);
    }
    leaving_.add_strays(nobodys);
    std::vector<ticket_id> unresolved;
    for (const auto& [id, who] : acquires_)
        if (who->now == stage::unresolved)
            unresolved.push_back(id);
    for (auto& [id, names] : found)
        if (const auto who = find(id))
            adopt(*who, std::move(names));
    for (const auto id : unresolved)
        if (const auto who = find(id); who && who->now == stage::unresolved)
            who->now = stage::in_line; // nothing was taken, unless it comes late
    // A transaction that was held back on its way may be carried out yet.
    if (!sweep_.pending() && rules_.looks_again() && !last_sweep_)
        sweep_.set(context_.now() + lease_plan::late_create(context_.lease.timeout()), [this] {
            sweep_due_ = last_sweep_ = true;
            sweep();
        });
    if (leaving_.denied()) // it may have been told while a transaction was under way
        fail_waiting(failure::release_denied, zookeeper_code::no_auth);
    start_all();
    look();
}

void semaphore::adopt(acquire& who, std::vector<std::string> names) {
    who.now = stage::confirming;
    leave_line(who); // the ticket went with the leases, or is one that stands for nothing now
    if (first_ == who.id)
        first_.reset();
    who.leases = std::move(names);
    who.czxid = 0;
    if (who.leases.size() == who.count)
        return confirm(who);
    drop_leases(who, 0); // another hand has deleted some of them
    who.now = stage::starting;
    restart(who);
}

} // namespace turnstile::protocol
