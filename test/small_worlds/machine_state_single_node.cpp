// Of a machine's state, what belongs to its lock of one node.
#include "machine_state.hpp"

#include <algorithm>
#include <vector>

namespace turnstile::protocol {

void machine_state::describe(const single_node_registry& which) {
    to_.part("owners of one node");
    std::vector<ticket_id> owners;
    for (const auto& [id, where] : which.snapshot())
        owners.push_back(id);
    std::sort(owners.begin(), owners.end());
    to_.tickets(owners);
    to_.number(which.size());
    which.for_each([this](const single_node& where) { describe(where); });
}

void machine_state::describe(const single_node& which) {
    const auto [directory, phase, epoch, waiting, ours, folder, watcher, tries, paid, in_reserve,
                open, place_expiry, own_watch, again, sweep, sweep_wanted] = which.snapshot();
    describe(directory);
    to_.part("single node");
    to_.choice(phase);
    to_.number(tries);
    to_.number(paid);
    to_.flag(in_reserve);
    to_.number(open);
    to_.part("waiting for one node");
    to_.number(waiting.size());
    for (const auto& each : waiting) {
        to_.ticket(each->id);
        to_.flag(each->patient);
        to_.flag(each->abandoned);
        to_.at(each->started + context_.options.unreachable_limit);
        describe(each->deadline);
    }
    to_.part("own node");
    to_.flag(ours.has_value());
    if (ours) {
        to_.ticket(ours->leaving ? 0 : ours->id);
        to_.tickets(ours->others);
        to_.zxid(ours->czxid);
        to_.version(which.path(), ours->version);
        to_.flag(ours->leaving);
        to_.flag(ours->unseen);
        to_.flag(ours->tried);
        to_.ticket(ours->notify);
    }
    to_.part("watch of one node");
    to_.ticket(watcher.value_or(0));
    describe(own_watch);
    to_.part("single node's timers");
    describe(place_expiry);
    describe(again);
    to_.part("sweep of one node");
    describe(sweep);
    to_.flag(sweep_wanted);
}

bool machine_state::describe_origin_of_node(const request_origin& by, const single_node& which) {
    const auto [directory, phase, epoch, waiting, ours, folder, watcher, tries, paid, in_reserve,
                open, place_expiry, own_watch, again, sweep, sweep_wanted] = which.snapshot();
    using enum request_purpose;
    const bool is_late = by.subject != epoch;
    using phases = std::remove_cvref_t<decltype(phase)>;
    switch (by.what) {
    case create_holder:
        return phase == phases::creating;
    case delete_holder:
        return phase == phases::deleting;
    case ask_holder:
        return !is_late && phase == phases::asking;
    case confirm_holder:
        return !is_late && phase == phases::confirming;
    case watch_holder:
        return ours && !ours->leaving && static_cast<std::uint64_t>(ours->czxid) == by.epoch;
    default:
        break;
    }
    if (is_late || phase != phases::examining)
        return false;
    // The path was asked for first. Once its answer is there, the node's is judged by it.
    const auto& [distrusted, all] = context_.requests.snapshot();
    const auto asked = std::count_if(all.begin(), all.end(), [&by](const auto& each) {
        return each.by.what == by.what && each.by.subject == by.subject;
    });
    to_.part("examined path");
    to_.flag(asked == 1);
    if (asked == 1) {
        to_.choice(folder.code);
        to_.zxid(folder.stat.czxid);
        to_.zxid_before(folder.stat.mzxid);
        to_.number(static_cast<std::uint64_t>(folder.stat.children));
        to_.version(which.path(), folder.stat.version);
    }
    return true;
}

} // namespace turnstile::protocol
