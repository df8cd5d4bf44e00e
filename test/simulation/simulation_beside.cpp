// SPDX-License-Identifier: BSL-1.0
// The work beside the lines of simulation_work.cpp: a lock of one node, a semaphore, several locks
// as one, and a line that is quiet enough for readers to become writers.
#include "simulation.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::ticket_kind;

namespace {

// The most acquires of one process that wait on one of these paths.
constexpr std::size_t most_waiting_beside = 2;
// The most acquires of several locks that wait, of all processes together.
constexpr std::size_t most_several = 6;

bool has_leases(const model_multi& which) {
    return std::any_of(which.parts().begin(), which.parts().end(),
                       [](const auto& each) { return each.what.permits > 0; });
}

} // namespace

void simulation::work_beside(model_client& client) {
    if (!working_ || client.dead())
        return;
    switch (turns_beside_++ % 6) { // in turn, so that a few acquires have all kinds
    case 0:
        begin_beside(client, single_node_path);
        break;
    case 1:
        begin_beside(client, semaphore_path);
        break;
    case 2:
    case 4:
        begin_beside(client, quiet_path);
        break;
    default:
        begin_several(client);
        break;
    }
    events_.after(up_to(plan_.busy_beside ? 350ms : 1500ms),
                  [this, &client] { work_beside(client); });
}

void simulation::begin_beside(model_client& client, const std::string& path) {
    if (client.acquiring(path) >= most_waiting_beside)
        return;
    auto what = acquire_of(path);
    if (path == quiet_path && !one_in(3))
        what.kind = ticket_kind::shared;
    what.patient = !one_in(8);
    if (plan_.cancels && one_in(8))
        what.limit = up_to(300ms);
    limit_now_and_then(what);
    client.begin(++last_ticket_, what, true);
}

// Begins several locks as one. Others want its parts as well, alone or in another order.
void simulation::begin_several(model_client& client) {
    const auto waiting = std::count_if(multis_.begin(), multis_.end(),
                                       [](const auto& each) { return each->is_waiting(); });
    if (static_cast<std::size_t>(waiting) >= most_several)
        return;
    auto parts = parts_for(client);
    model_multi::keys known;
    for (const auto& each : parts) {
        const auto key = keys_.find({&client, each.what.path});
        known.push_back(key == keys_.end() ? std::nullopt : std::optional{key->second});
    }
    std::optional<protocol::duration> limit;
    if (plan_.cancels && one_in(8))
        limit = up_to(500ms);
    if (plan_.brief_rests) // its lock paths are forgotten while it waits, again and again
        limit = session_timeout * 2;
    const model_multi::surroundings around{
        .events = events_,
        .judge = judge_,
        .next_id = [this] { return ++last_ticket_; },
        .trace = tracer(),
        .on_held =
            [this, &client](model_multi& which) {
                ++multis_granted_;
                multis_with_leases_ += has_leases(which) ? 1 : 0;
                for (std::size_t part = 0; part < which.parts().size(); ++part)
                    keys_[{&client, which.parts()[part].what.path}] = *which.granted_keys()[part];
                events_.after(working_ ? how_long() : up_to(40ms), [&which] { which.release(); });
            }};
    multis_.push_back(
        std::make_unique<model_multi>(around, std::move(parts), std::move(known), limit));
    auto& added = *multis_.back();
    added.start();
    if (plan_.cancels && one_in(6))
        events_.after(up_to(one_in(2) ? 300ms : 30ms), [&added] { added.cancel(); });
}

// Draws two or three different locks, on one session or on two.
std::vector<model_multi::part> simulation::parts_for(model_client& client) {
    auto& other = one_in(3) ? any_client() : client;
    std::vector<std::string> choice(lock_paths.begin(), lock_paths.end());
    choice.emplace_back(single_node_path);
    if (one_in(3))
        choice.emplace_back(quiet_path);
    if (one_in(2))
        choice.emplace_back(semaphore_path);
    const auto count = 2 + ensemble_.below(2);
    const bool patient = !one_in(10);
    std::vector<model_multi::part> result;
    while (result.size() < count) {
        std::swap(choice[ensemble_.below(choice.size())], choice.back());
        auto what = acquire_of(choice.back());
        choice.pop_back();
        const bool reads = what.path == quiet_path || plan_.readers;
        if (what.permits > 0)
            what.permits += static_cast<std::uint32_t>(ensemble_.below(2));
        else if (reads && !what.single_node && one_in(2))
            what.kind = ticket_kind::shared;
        what.patient = patient;
        if (plan_.limited_holds && one_in(6)) // long, since other parts may be waited for meanwhile
            what.max_hold = session_timeout + up_to(session_timeout);
        auto& on = one_in(2) ? client : other;
        result.push_back({.on = &on, .what = std::move(what)});
    }
    return result;
}

// Tries upgrades and downgrades at some instants of the hold. Some upgrades fail, since the holder
// is no reader or is not alone.
void simulation::change_now_and_then(model_client& client, protocol::ticket_id id) {
    for (int tries = 4; tries > 0; --tries)
        events_.after(up_to(80ms), [this, &client, id, writer = ++last_ticket_] {
            if (one_in(3))
                client.downgrade(id);
            else
                client.upgrade(id, writer);
        });
}

} // namespace turnstile::test
