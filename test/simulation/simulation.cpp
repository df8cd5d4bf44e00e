// SPDX-License-Identifier: BSL-1.0
// The course of a run: processes start, faults come and go, and at the end nothing may be left.
#include "simulation.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::duration;
using protocol::instant;

namespace {

constexpr duration healing_time = 30 * session_timeout;
constexpr std::size_t processes = 3;

model_limits limits_of(const fault_plan& plan) {
    return {.timeout = session_timeout,
            .tick = session_timeout / plan.ticks,
            .lateness = session_timeout / plan.ticks * plan.late_pings / 8,
            .latency = 5ms,
            .notices_at_once = plan.impatient,
            .expires_silently = plan.silent_session_ends,
            .loses_events = plan.lost_events,
            .keeps_deletions_back = plan.optimized_watches,
            .exists_needs_read = plan.exists_needs_read};
}

} // namespace

simulation::simulation(std::uint64_t seed, const fault_plan& plan, const settings& how)
    : seed_(seed),
      plan_(plan),
      how_(how),
      ensemble_(events_, seed, plan.ensemble ? 3 : 1, limits_of(plan),
                [this](const model_replica& where, const model_txn& txn, std::size_t others) {
                    on_applied(where, txn, others);
                }),
      judge_([this](promises::acquire_id who) { return name_of(who); }) {
    for (const auto* path : lock_paths)
        judge_.add(promises::shared_mutex, path); // a mutex is its writer
    if (plan.single_nodes || plan.every_kind)
        judge_.add(promises::single_node_mutex, single_node_path);
    if (plan.semaphores || plan.every_kind)
        judge_.add(promises::semaphore(semaphore_limit), semaphore_path);
    if (plan.every_kind) {
        judge_.add(promises::shared_mutex, quiet_path);
        judge_.add(several, std::string(several.name));
    }
    ensemble_.hold_creates(plan.holds);
    ensemble_.hold_deletes(plan.holds);
    // Nodes that stand before the run, and rights that are denied during all of it.
    if (plan.counts)
        for (const auto& path : paths())
            ensemble_.have(counter_of(path));
    if (plan.made_together)
        for (const auto* path : {"/locks", lock_paths[0], lock_paths[1]})
            ensemble_.have(path);
    if (plan.crowds)
        ensemble_.have(lock_paths[1]);
    for (std::size_t i = 0; plan.crowds && i < crowd; ++i)
        ensemble_.have(std::string(lock_paths[1]) + '/' + foreign_child + std::to_string(i));
    if (plan.kept_beside)
        for (const auto* parent : {"/locks", "/"})
            ensemble_.deny(model_right::remove, parent);
    if (plan.denials)
        ensemble_.deny(static_cast<model_right>(ensemble_.below(3)), "/b"); // not `remove`
}

std::vector<std::string> simulation::violations() const {
    auto result = reports_;
    for (auto& text : promises::texts_of(judge_))
        result.push_back(std::move(text));
    return result;
}

// For example "process 1's ticket 27 of /b (token 103)".
std::string simulation::name_of(promises::acquire_id who) const {
    std::string result;
    for (const auto& client : clients_)
        if (client->knows(who))
            result = client->name() + "'s ";
    result += "ticket " + std::to_string(who) + " of " + judge_.lock_of(who).name;
    const auto czxid = judge_.of(who).token.czxid;
    return czxid == 0 ? result : result + " (token " + std::to_string(czxid) + ')';
}

std::function<void(const std::string&)> simulation::tracer() {
    if (!how_.traced)
        return {};
    return [this](const std::string& text) {
        trace_.push_back(std::to_string(events_.now().time_since_epoch() / 1us) + "us " + text);
    };
}

model_client& simulation::any_client() {
    for (;;)
        if (auto& client = *clients_[ensemble_.below(clients_.size())]; !client.dead())
            return client;
}

std::vector<std::string> simulation::paths() const {
    auto result = lines();
    if (plan_.single_nodes || plan_.every_kind)
        result.emplace_back(single_node_path);
    if (plan_.semaphores || plan_.every_kind)
        result.emplace_back(semaphore_path);
    return result;
}

std::vector<std::string> simulation::lines() const {
    std::vector<std::string> result(lock_paths.begin(), lock_paths.end());
    if (plan_.every_kind)
        result.emplace_back(quiet_path);
    return result;
}

std::string simulation::lock_of(const std::string& node) {
    const auto folder = node.substr(0, node.rfind('/'));
    return folder.starts_with(std::string(semaphore_path) + '/') ? semaphore_path : folder;
}

std::size_t simulation::upgrades() const {
    std::size_t sum = 0;
    for (const auto& client : clients_)
        sum += client->upgrades();
    return sum;
}

std::size_t simulation::downgrades() const {
    std::size_t sum = 0;
    for (const auto& client : clients_)
        sum += client->downgrades();
    return sum;
}

bool simulation::is_settled() const {
    return !rights_lack_ && judge_.open() == 0 &&
           std::none_of(clients_.begin(), clients_.end(), [](const auto& client) {
               return client->connecting() || client->surveying() || client->changing() ||
                      client->asking();
           });
}

void simulation::run_until(instant end, bool until_settled) {
    constexpr int most_events = 10000; // of one instant
    auto before = events_.now();
    for (int events = 0; !is_broken() && !(until_settled && is_settled()); ++events) {
        if (!events_.step(end))
            return;
        if (events_.now() != std::exchange(before, events_.now()))
            events = 0;
        if (events > most_events)
            reports_.push_back("time stands still");
    }
}

void simulation::run() {
    start_work_and_faults();
    run_until(end_of_faults, false);
    heal();
    if (is_broken())
        return;
    check_questions_ended();
    if (plan_.followers || plan_.yields)
        elect();
    judge_.finish();
    run_until(events_.now() + session_timeout * 3, false); // last deletions, sweeps, expiries
    if (!is_broken())
        check_nothing_left();
}

void simulation::start_work_and_faults() {
    if (plan_.refusals)
        ensemble_.refuse_at(ensemble_.below(ensemble_.size()));
    for (std::size_t i = 0; i < processes; ++i)
        start_client();
    inject_fault();
    if (plan_.delete_denials)
        change_right(model_right::remove, undeletable_);
    if (plan_.read_denials)
        change_right(model_right::read, hidden_);
    if (plan_.create_denials)
        change_right(model_right::create, uncreatable_);
    if (plan_.part_deletions)
        delete_part();
    if (plan_.waiting_deletions)
        delete_waiting();
    if (plan_.crowds)
        crowd_in();
    if (plan_.throttles)
        throttle();
    if (plan_.throttled_barriers)
        for (std::size_t index = 0; index < ensemble_.size(); ++index)
            ensemble_.server(index).throttle_barriers();
    if (plan_.slow_server)
        slow_down();
    if (plan_.harms_nobody())
        watch_queues();
}

void simulation::heal() {
    working_ = false;
    ensemble_.end_outage();
    ensemble_.heal();
    if (plan_.cancels_in_doubt)
        cancel_in_doubt();
    constexpr auto rest = 5 * session_timeout; // all that was under way ends without the right
    if (plan_.read_denials) {
        run_until(events_.now() + rest, false);
        give_rights_back(model_right::read);
    }
    if (plan_.create_denials) {
        run_until(events_.now() + rest, false);
        give_rights_back(model_right::create);
    }
    if (plan_.delete_denials) {
        run_until(events_.now() + rest, false);
        give_rights_back(model_right::remove);
    }
    run_until(events_.now() + healing_time, true);
}

void simulation::check_questions_ended() {
    for (const auto& client : clients_)
        if (client->connecting())
            reports_.push_back(client->name() + " waits for its connection for ever");
    for (const auto& client : clients_)
        if (client->surveying())
            reports_.push_back(client->name() + " is never told who stands in line");
    for (const auto& client : clients_)
        if (client->changing())
            reports_.push_back(client->name() + " is never told that a limit is set");
    for (const auto& client : clients_)
        if (client->asking())
            reports_.push_back(client->name() + " asks for ever for a lock that it does not want");
}

// Has one process lead in each line, and another one ask it to yield. At rest it checks what
// processes believe about that. Then the leaders release.
void simulation::elect() {
    std::map<protocol::ticket_id, model_client*> leaders;
    for (const auto& path : lines()) {
        auto& client = any_client();
        leaders[++last_ticket_] = &client;
        elected_.insert(last_ticket_);
        client.begin(last_ticket_, acquire_of(path));
    }
    run_until(events_.now() + 2 * session_timeout, false);
    if (plan_.yields)
        for (const auto* path : lock_paths)
            any_client().ask_to_yield(path, {});
    run_until(events_.now() + 3 * session_timeout, false);
    check_beliefs();
    for (const auto& [id, client] : leaders)
        client->release(id);
    run_until(events_.now() + healing_time, true);
    for (const auto& client : clients_)
        if (client->asking())
            reports_.push_back(client->name() + " asks for a lock that was released");
}

void simulation::check_beliefs() {
    for (const auto& client : clients_)
        if (!is_broken() && !client->dead())
            for (auto& text : client->misbeliefs())
                reports_.push_back(std::move(text));
}

// Looks for nodes and watches that are left. Then it closes all sessions, and looks for these.
void simulation::check_nothing_left() {
    check_beliefs();
    for (const std::string folder : {"/locks/", "/"})
        for (const auto& child : ensemble_.truth().children(folder.size() > 1 ? "/locks" : "/"))
            // A create may be carried out late.
            if (child.ends_with("%yield") && !plan_.holds && !plan_.kept_beside)
                judge_.left(folder + child);
    for (const auto& path : paths())
        for (const auto& child : ensemble_.truth().children(path)) {
            const auto node = path + ('/' + child);
            if (!protocol::is_of_semaphore(child) && !child.starts_with(foreign_child))
                judge_.left(node);
            for (const auto& below : ensemble_.truth().children(node))
                judge_.left(node + ('/' + below));
        }
    // A server may still have a connection that a black hole ended, with watches on nodes that
    // never come.
    const bool is_stale = plan_.yields && plan_.black_holes;
    const bool may_stay = std::ranges::any_of(
        clients_, [](const auto& each) { return each->asked().leaves_watches(); });
    if (!plan_.followers && !is_stale && !may_stay &&
        ensemble_.watches_outside(semaphore_path) > 0) // its nodes stay, with watches
        judge_.left("a watch");
    for (const auto& client : clients_)
        if (!client->dead())
            client->close();
    run_until(events_.now() + session_timeout * 3, false);
    for (const auto& client : clients_)
        if (!client->dead() && (!client->closed() || ensemble_.truth().alive(client->session())))
            judge_.left(client->name() + "'s session");
}

} // namespace turnstile::test
