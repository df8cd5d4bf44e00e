// SPDX-License-Identifier: BSL-1.0
// What the processes do: they acquire, hold, share, ask who stands in line, and release.
#include "simulation.hpp"

#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::duration;

namespace {

constexpr std::size_t most_acquiring = 4;

} // namespace

void simulation::start_client() {
    protocol::settings options;
    options.servers = 3;
    options.timeout = session_timeout;
    options.unreachable_limit = 1h;
    if (plan_.brief_connects)
        options.connect_timeout = 300ms;
    options.shortest_backoff = 10ms;
    options.longest_backoff = 100ms;
    if (clients_.size() % 2 == 0)
        options.enqueue_window = plan_.cancels_in_doubt ? 1 : 2;
    options.rewatch_window = plan_.cancels_in_doubt ? 1 : 2;
    if (plan_.yields) // those are watches that nothing else ends
        options.unwanted_watches = 0;
    options.joins = plan_.shares ? 2 : 0;
    options.crowd = plan_.shares ? 3 : 8;
    if (plan_.states_tick)
        options.tick = session_timeout / plan_.ticks;
    if (plan_.far_reads)
        options.near = static_cast<std::int32_t>(ensemble_.below(2));
    options.tells_places = plan_.far_reads && one_in(2);
    options.watches_own_data = plan_.optimized_watches;
    options.queue_rest = plan_.brief_rests ? 20ms : 300ms;
    if (plan_.small_budget)
        options.ticket_bytes = 300;
    const auto name = "process " + std::to_string(clients_.size());
    clients_.push_back(std::make_unique<model_client>(
        name,
        model_client::surroundings{
            .ensemble = ensemble_,
            .judge = judge_,
            .denied = denied(),
            .undeletable = undeletable_,
            .deleted = deleted_,
            .hidden = hidden_,
            .uncreatable = uncreatable_,
            .pauses = plan_.client_pauses,
            .brief_connects = plan_.brief_connects,
            .part_deletions = plan_.part_deletions,
            .foreign_twins = plan_.foreign_twins,
            .limit_changes = plan_.limit_changes,
            .report = [this](const std::string& text) { reports_.push_back(text); },
            .trace = tracer(),
            .on_held = [this](model_client& client, protocol::ticket_id id) { hold(client, id); },
            .reign_of =
                [this](const std::string& path, std::int64_t czxid) {
                    const auto found = leader_numbers_.find({path, czxid});
                    return found == leader_numbers_.end() ? 0 : found->second;
                }},
        options, seed_ * 31 + clients_.size()));
    auto& client = *clients_.back();
    client.connect();
    if (plan_.followers)
        for (const auto& path : lines())
            if (one_in(2))
                client.follow(path);
    events_.after(up_to(50ms), [this, &client] { work(client); });
    if (plan_.every_kind)
        events_.after(up_to(50ms), [this, &client] { work_beside(client); });
}

void simulation::hold(model_client& client, protocol::ticket_id id) {
    ++grants_;
    if (plan_.yields)
        events_.after({}, [&client, id] { client.await_request(id); });
    if (plan_.followers)
        events_.after({}, [&client, id] { client.proclaim(id); });
    if (elected_.contains(id))
        return;
    if (plan_.limit_changes)
        check_limits();
    const bool quiet = client.path_of(id) == quiet_path;
    const auto hold = quiet && !one_in(8) ? 20ms + up_to(60ms) : how_long();
    if (quiet)
        change_now_and_then(client, id);
    const bool cut_off = plan_.throttled_barriers && one_in(2);
    events_.after(hold, [this, &client, id, cut_off] { let_go(client, id, cut_off); });
    if (plan_.downgrades && one_in(2))
        events_.after(up_to(hold), [&client, id] { client.downgrade(id); });
    if (plan_.upgrades && one_in(2))
        events_.after(up_to(hold),
                      [&client, id, writer = ++last_ticket_] { client.upgrade(id, writer); });
    if (plan_.handles && one_in(3))
        share_later(client, id, hold);
    if (plan_.counts)
        count_now_and_then(client, id, hold);
}

void simulation::count_now_and_then(model_client& client, protocol::ticket_id id,
                                    protocol::duration hold) {
    const auto& path = client.path_of(id);
    if (path == semaphore_path || path == single_node_path)
        return;
    for (int times = 3; times > 0; --times)
        events_.after(one_in(2) ? up_to(hold) : hold, [&client, id] { client.count(id); });
}

void simulation::let_go(model_client& client, protocol::ticket_id id, bool cut_off) {
    if (const auto end = alone_until_[&client]; plan_.newly_proved && events_.now() < end)
        return events_.at(end, [this, &client, id, cut_off] { let_go(client, id, cut_off); });
    client.release(id);
    if (cut_off && working_)
        cut(client);
}

duration simulation::how_long() {
    const bool long_one = one_in(plan_.partitioned_holders || plan_.slow_server ? 3 : 10);
    const auto longest =
        plan_.holder_returns || plan_.slow_server ? session_timeout * 3 : session_timeout * 3 / 2;
    return up_to(long_one ? longest : duration{40ms});
}

// Makes a further handle, mostly before the release. It may become the last one.
void simulation::share_later(model_client& client, protocol::ticket_id id,
                             protocol::duration hold) {
    const auto further = ++last_ticket_;
    const auto begin = up_to(hold + duration{5ms});
    events_.after(begin, [this, &client, id, further] {
        client.share(id, further);
        events_.after(up_to(60ms), [&client, further] { client.release(further); });
    });
}

void simulation::work(model_client& client) {
    if (!working_ || client.dead())
        return;
    for (auto burst = ensemble_.below(3); burst > 0 && client.acquiring() < most_acquiring;
         --burst) {
        auto what = acquire_of(any_path());
        if (what.permits > 0)
            what.permits += static_cast<std::uint32_t>(ensemble_.below(semaphore_limit));
        else if (what.single_node && one_in(12)) // it does not belong there
            what.single_node = false;
        else if (plan_.readers && one_in(2))
            what.kind = protocol::ticket_kind::shared;
        what.patient = !one_in(10);
        if (plan_.cancels && one_in(8))
            what.limit = up_to(300ms);
        limit_now_and_then(what);
        const auto id = ++last_ticket_;
        if (plan_.yields && what.patient && !what.single_node && what.permits == 0 && one_in(4))
            client.ask_before(id);
        client.begin(id, what);
        if (plan_.cancels && one_in(5))
            events_.after(up_to(one_in(2) ? 300ms : 30ms), [&client, id] { client.cancel(id); });
    }
    if (plan_.brief_connects && one_in(4))
        client.connect();
    if (plan_.brief_connects && one_in(8))
        client.cancel_connect();
    if (plan_.surveys && one_in(4))
        survey(client);
    if (plan_.yields && one_in(4))
        client.ask_to_yield(lock_paths[one_in(2) ? 0 : 1],
                            one_in(2) ? std::optional(up_to(300ms)) : std::nullopt);
    if (plan_.limit_changes && !client.changing() && one_in(4))
        change_limit(client);
    events_.after(up_to(100ms), [this, &client] { work(client); });
}

// Of several servers, one that has not heard from the others for a while may show an older line. A
// single server shows the line of some instant between question and answer.
void simulation::survey(model_client& client) {
    const std::string path = lock_paths[one_in(2) ? 0 : 1];
    const auto since = plan_.ensemble ? 0 : ensemble_.server(0).applied();
    client.survey(++last_ticket_, path, ensemble_.below(4),
                  [this, &client, path, since](const std::vector<std::string>& line) {
                      if (!lines_[path].has_been(line, since))
                          reports_.push_back(client.name() + " was told of a line of " + path +
                                             " that never was");
                  });
}

void simulation::change_limit(model_client& client) {
    const auto limit = 1 + static_cast<std::uint32_t>(ensemble_.below(semaphore_limit));
    client.change(one_in(6) ? protocol::semaphore_change::removes(semaphore_path)
                            : protocol::semaphore_change::sets(semaphore_path, limit));
}

protocol::acquire_request simulation::acquire_of(const std::string& path) const {
    protocol::acquire_request what{.path = path};
    if (plan_.curator_names)
        what.naming = protocol::ticket_naming::curator;
    what.single_node = path == single_node_path;
    if (path == semaphore_path) {
        what.permits = 1;
        if (!plan_.limit_changes)
            what.stated_limit = semaphore_limit;
    }
    return what;
}

// Shorter and longer than what is held for long.
void simulation::limit_now_and_then(protocol::acquire_request& what) {
    if (plan_.limited_holds && one_in(4))
        what.max_hold = 1ms + up_to(one_in(2) ? session_timeout : 40ms);
}

std::string simulation::any_path() {
    if (plan_.single_nodes && one_in(3))
        return single_node_path;
    if (plan_.semaphores && one_in(2))
        return semaphore_path;
    return lock_paths[plan_.single_path || !one_in(3) ? 0 : 1];
}

} // namespace turnstile::test
