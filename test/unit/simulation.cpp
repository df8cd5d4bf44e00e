#include "simulation.hpp"

#include <utility>

namespace turnstile::test {

using namespace std::chrono_literals;
using protocol::duration;
using protocol::instant;

namespace {

constexpr duration timeout = 1s;
constexpr duration faulty_time = 4s;
constexpr duration healing_time = 30 * timeout;
constexpr std::size_t processes = 3;
constexpr std::size_t most_acquiring = 4;

} // namespace

fault_plan fault_plan::drawn_from(std::uint64_t seed) {
    std::mt19937_64 engine(seed * 7919);
    const auto draw = [&](std::uint64_t chance_in_eight) { return engine() % 8 < chance_in_eight; };
    fault_plan plan;
    plan.cuts = draw(5);
    plan.hangs = draw(2);
    plan.kills = draw(2);
    plan.crashes = draw(2);
    plan.outages = draw(2);
    plan.reaps = draw(2);
    plan.deletions = draw(1);
    plan.readers = draw(3);
    plan.cancels = draw(5);
    plan.small_budget = draw(1);
    plan.single_path = draw(5);
    plan.late_creates = draw(1);
    return plan;
}

std::string fault_plan::str() const {
    std::string text;
    const auto add = [&](bool on, const char* name) { text += on ? std::string(" ") + name : ""; };
    add(cuts, "cuts");
    add(hangs, "hangs");
    add(kills, "kills");
    add(crashes, "crashes");
    add(outages, "outages");
    add(reaps, "reaps");
    add(deletions, "deletions");
    add(readers, "readers");
    add(cancels, "cancels");
    add(small_budget, "small_budget");
    add(single_path, "single_path");
    add(late_creates, "late_creates");
    return text;
}

simulation::simulation(std::uint64_t seed, const fault_plan& plan, bool traced)
    : seed_(seed), plan_(plan), traced_(traced), network_(events_, seed, timeout) {
    network_.hold_creates_back(plan.late_creates);
}

const std::vector<std::string>& simulation::violations() const {
    return reports_.empty() ? beliefs_.violations() : reports_;
}

void simulation::start_client() {
    protocol::settings options;
    options.servers = 3;
    options.timeout = timeout;
    options.unreachable_limit = 1h;
    options.shortest_backoff = 10ms;
    options.longest_backoff = 100ms;
    options.look_window = 2;
    if (plan_.small_budget)
        options.ticket_bytes = 300;
    const auto name = "process " + std::to_string(clients_.size());
    clients_.push_back(std::make_unique<model_client>(
        name,
        model_client::surroundings{
            .network = network_,
            .beliefs = beliefs_,
            .check_beliefs = !plan_.deletions,
            .report = [this](const std::string& text) { reports_.push_back(text); },
            .trace =
                [this](const std::string& text) {
                    if (traced_)
                        trace_.push_back(std::to_string(events_.now().time_since_epoch() / 1us) +
                                         "us " + text);
                },
            .on_held =
                [this](model_client& client, protocol::ticket_id id) {
                    ++grants_;
                    const auto hold = up_to(one_in(10) ? timeout * 3 / 2 : duration{40ms});
                    events_.after(hold, [&client, id] { client.release(id); });
                }},
        options, seed_ * 31 + clients_.size()));
    auto& client = *clients_.back();
    client.connect();
    events_.after(up_to(50ms), [this, &client] { work(client); });
}

void simulation::work(model_client& client) {
    if (!working_ || client.dead())
        return;
    for (auto burst = network_.below(3); burst > 0 && client.acquiring() < most_acquiring;
         --burst) {
        protocol::acquire_request what;
        what.path = any_path();
        if (plan_.readers && one_in(2))
            what.kind = protocol::ticket_kind::shared;
        what.patient = !one_in(10);
        if (plan_.cancels && one_in(8))
            what.limit = up_to(300ms);
        const auto id = ++last_ticket_;
        client.begin(id, what);
        if (plan_.cancels && one_in(5))
            events_.after(up_to(one_in(2) ? 300ms : 30ms), [&client, id] { client.cancel(id); });
    }
    events_.after(up_to(100ms), [this, &client] { work(client); });
}

model_client& simulation::any_client() {
    for (;;)
        if (auto& client = *clients_[network_.below(clients_.size())]; !client.dead())
            return client;
}

std::string simulation::any_path() { return plan_.single_path || !one_in(3) ? "/locks/a" : "/b"; }

void simulation::do_something_bad() {
    if (!working_)
        return;
    switch (network_.below(7)) {
    case 0:
        if (plan_.cuts)
            any_client().link().cut();
        break;
    case 1:
        if (plan_.hangs)
            any_client().link().hang(!one_in(3), !one_in(3));
        break;
    case 2:
        if (plan_.kills && one_in(2)) {
            auto& client = any_client();
            client.forsake();
            network_.kill(client.session());
        }
        break;
    case 3:
        if (plan_.crashes && one_in(4)) {
            any_client().crash();
            start_client();
        }
        break;
    case 4:
        if (plan_.outages && one_in(3)) {
            network_.close_door_until(events_.now() + up_to(timeout * 2));
            any_client().link().cut();
        }
        break;
    case 5:
        if (plan_.reaps)
            network_.server().reap();
        break;
    case 6:
        if (plan_.deletions) {
            const auto path = any_path();
            const auto children = network_.server().children(path);
            if (!children.empty())
                network_.server().remove(path + '/' + children[network_.below(children.size())]);
        }
        break;
    }
    events_.after(up_to(120ms), [this] { do_something_bad(); });
}

bool simulation::settled() const {
    for (const auto& client : clients_)
        if (client->unsettled() > 0)
            return false;
    return true;
}

void simulation::run_until(instant end, bool until_settled) {
    auto before = events_.now();
    for (int steps = 0; violations().empty() && !(until_settled && settled()); ++steps) {
        if (!events_.step(end))
            return;
        if (events_.now() != std::exchange(before, events_.now()))
            steps = 0;
        if (steps > 10000)
            reports_.push_back("time stands still");
    }
}

void simulation::run() {
    for (std::size_t i = 0; i < processes; ++i)
        start_client();
    do_something_bad();
    run_until(instant{faulty_time}, false);
    working_ = false;
    network_.close_door_until({});
    run_until(events_.now() + healing_time, true);
    if (!violations().empty())
        return;
    for (const auto& client : clients_)
        for (const auto& text : client->unsettled_texts())
            reports_.push_back(text + " for ever");
    run_until(events_.now() + timeout * 3, false); // last deletions, sweeps, expiries
    if (violations().empty())
        check_nothing_left();
}

void simulation::check_nothing_left() {
    for (const auto path : {"/locks/a", "/b"})
        for (const auto& child : network_.server().children(path))
            reports_.push_back(std::string(path) + '/' + child + " was left");
    if (network_.server().watches() > 0)
        reports_.push_back("a watch was left");
    for (const auto& client : clients_)
        if (!client->dead())
            client->close();
    run_until(events_.now() + timeout * 3, false);
    for (const auto& client : clients_)
        if (!client->dead() && (!client->closed() || network_.server().alive(client->session())))
            reports_.push_back(client->name() + " did not close its session");
}

} // namespace turnstile::test
