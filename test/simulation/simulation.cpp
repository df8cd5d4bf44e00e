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
constexpr std::size_t most_acquiring = 4;

bool is_there(const model_replica& where, const model_txn& txn) { // and was not refused
    const auto made =
        where.tree().read({.op = protocol::operation::exists, .path = txn.request.target});
    return made.stat.czxid == txn.zxid;
}

model_limits limits_of(const fault_plan& plan) {
    return {.timeout = session_timeout,
            .tick = session_timeout / plan.ticks,
            .latency = 5ms,
            .notices_at_once = plan.impatient,
            .expires_silently = plan.silent_session_ends};
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
    if (plan.single_nodes)
        judge_.add(promises::single_node_mutex, single_node_path);
    ensemble_.hold_creates(plan.holds);
    // A path that was made anew begins its versions anew: a deletion that is later than that would
    // not be refused.
    ensemble_.hold_deletes(plan.holds && !plan.path_deletions);
    if (plan.denials)
        ensemble_.deny(static_cast<model_right>(ensemble_.below(3)), "/b"); // not `remove`
}

std::vector<std::string> simulation::violations() const {
    auto result = reports_;
    for (auto& text : promises::texts_of(judge_))
        result.push_back(std::move(text));
    return result;
}

/// "process 1's ticket 27 of /b (token 103)"
std::string simulation::name_of(promises::acquire_id who) const {
    const auto& its = judge_.of(who);
    std::string result;
    for (const auto& client : clients_)
        if (client->knows(who))
            result = client->name() + "'s ";
    result += "ticket " + std::to_string(who) + " of " + judge_.lock_of(who).name;
    return its.token.czxid == 0 ? result
                                : result + " (token " + std::to_string(its.token.czxid) + ')';
}

void simulation::on_applied(const model_replica& where, const model_txn& txn, std::size_t others) {
    // The model's own invariant: every server applies the same.
    const auto [first, is_new] = applied_.emplace(txn.zxid, &txn);
    if (!is_new && first->second != &txn)
        reports_.push_back("the model is wrong: server " + std::to_string(where.index()) +
                           " applied another transaction " + std::to_string(txn.zxid));
    auto& before = newest_[where.index()];
    if (before >> 32 == txn.zxid >> 32 && before + 1 != txn.zxid)
        reports_.push_back("the model is wrong: server " + std::to_string(where.index()) +
                           " applied " + std::to_string(txn.zxid) + " after " +
                           std::to_string(before));
    before = txn.zxid;
    if (is_new)
        on_committed(where, txn);
    if (is_new && plan_.surveys)
        note_line(where);
    if (is_new && txn.what == model_txn::kind::request &&
        txn.request.op == protocol::operation::downgrade && is_there(where, txn))
        for (const auto& client : clients_)
            client->on_committed_downgrade(txn.request.path, txn.request.target, txn.zxid);
    if (txn.what != model_txn::kind::request || txn.request.op != protocol::operation::release ||
        !plan_.is_calm())
        return;
    if (auto& count = wakened_[txn.zxid]; (count += others) > 1)
        reports_.push_back("the release of " + txn.request.path + " woke " + std::to_string(count));
}

void simulation::on_committed(const model_replica& where, const model_txn& txn) {
    const auto node = std::string(single_node_path) + '/' + std::string(protocol::holder_name);
    const auto holder = std::exchange(
        holder_, where.tree().read({.op = protocol::operation::exists, .path = node}).stat.czxid);
    using enum protocol::operation;
    const auto op = txn.request.op;
    if (plan_.foreign_twins && txn.what == model_txn::kind::request &&
        (op == release || op == remove))
        take_name(txn.request.path);
    const auto condemned = condemned_.find(txn.path);
    if (txn.what != model_txn::kind::removal || condemned == condemned_.end())
        return;
    if (txn.path == node) // whoever stands there now
        condemned->second = holder;
    // What is believed of it from now on is wrong, and only of it.
    deleted_[condemned->second] = txn.zxid;
    for (const auto& client : clients_)
        client->excuse_belief(condemned->second);
}

void simulation::start_client() {
    protocol::settings options;
    options.servers = 3;
    options.timeout = session_timeout;
    options.unreachable_limit = 1h;
    if (plan_.brief_connects)
        options.connect_timeout = 300ms;
    options.shortest_backoff = 10ms;
    options.longest_backoff = 100ms;
    options.rewatch_window = plan_.cancels_in_doubt ? 1 : 2;
    options.planted = {how_.planted};
    options.joins = plan_.shares ? 2 : 0;
    options.crowd = plan_.shares ? 3 : 8;
    options.tick = session_timeout / plan_.ticks;
    options.queue_rest = plan_.brief_rests ? 20ms : 300ms;
    if (plan_.small_budget)
        options.ticket_bytes = 300;
    options.light = plan_.light && (plan_.all_light || one_in(2));
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
            .pauses = plan_.client_pauses,
            .throttles = plan_.throttles,
            .brief_connects = plan_.brief_connects,
            .report = [this](const std::string& text) { reports_.push_back(text); },
            .trace =
                [this](const std::string& text) {
                    if (how_.traced)
                        trace_.push_back(std::to_string(events_.now().time_since_epoch() / 1us) +
                                         "us " + text);
                },
            .on_held =
                [this](model_client& client, protocol::ticket_id id) {
                    ++grants_;
                    const bool long_one =
                        one_in(plan_.partitioned_holders || plan_.slow_server ? 3 : 10);
                    const auto longest = plan_.holder_returns || plan_.slow_server
                                             ? session_timeout * 3
                                             : session_timeout * 3 / 2;
                    const auto hold = up_to(long_one ? longest : duration{40ms});
                    const bool cut_off = plan_.throttled_barriers && one_in(2);
                    events_.after(hold, [this, &client, id, cut_off] {
                        client.release(id);
                        if (cut_off && working_)
                            cut(client);
                    });
                    if (plan_.downgrades && one_in(2))
                        events_.after(up_to(hold), [&client, id] { client.downgrade(id); });
                    if (plan_.handles && one_in(3))
                        share_later(client, id, hold);
                }},
        options, seed_ * 31 + clients_.size()));
    auto& client = *clients_.back();
    client.connect();
    events_.after(up_to(50ms), [this, &client] { work(client); });
}

// Before it is released, in most cases; and the handle may be the last.
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
        if (what.single_node && one_in(12)) // it does not belong there
            what.single_node = false;
        else if (plan_.readers && one_in(2))
            what.kind = protocol::ticket_kind::shared;
        what.patient = !one_in(10);
        if (plan_.cancels && one_in(8))
            what.limit = up_to(300ms);
        const auto id = ++last_ticket_;
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
    events_.after(up_to(100ms), [this, &client] { work(client); });
}

void simulation::note_line(const model_replica& where) {
    for (const auto* path : lock_paths)
        lines_[path].add(where.applied(), where.tree().children(path));
}

// What a server that was asked later than it last heard of the others may show is an older line; a
// server alone shows the line of some instant between question and answer.
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

// Nobody waits where all that stand before it may hold the lock together with it.
void simulation::watch_queues() {
    if (!working_)
        return;
    for (const auto* path : lock_paths) {
        const auto& kind = judge_.locks()[judge_.lock_named(path)].kind;
        std::vector<promises::queue_watch::ticket> standing;
        for (const auto& child : ensemble_.truth().children(path)) {
            const auto name = protocol::ticket_name::parse(child);
            const auto node = ensemble_.truth().read(
                {.op = protocol::operation::exists, .path = path + ('/' + child)});
            const auto czxid = node.stat.czxid;
            const bool granted = std::any_of(clients_.begin(), clients_.end(),
                                             [&](const auto& each) { return each->holds(czxid); });
            const bool shared = name->kind == protocol::ticket_kind::shared;
            standing.push_back(
                {czxid, name->sequence, shared ? promises::reader : kind.all(), granted});
        }
        if (queues_[path].finds_forgotten(kind, std::move(standing),
                                          events_.now().time_since_epoch(), session_timeout / 5))
            reports_.push_back(std::string("somebody waits for ") + path +
                               ", and nothing stands in its way");
    }
    events_.after(session_timeout / 16, [this] { watch_queues(); });
}

model_client& simulation::any_client() {
    for (;;)
        if (auto& client = *clients_[ensemble_.below(clients_.size())]; !client.dead())
            return client;
}

std::vector<std::string> simulation::paths() const {
    std::vector<std::string> result(lock_paths.begin(), lock_paths.end());
    if (plan_.single_nodes)
        result.emplace_back(single_node_path);
    return result;
}

protocol::acquire_request simulation::acquire_of(const std::string& path) {
    protocol::acquire_request what;
    what.path = path;
    what.single_node = path == single_node_path;
    return what;
}

std::string simulation::any_path() {
    if (plan_.single_nodes && one_in(3))
        return single_node_path;
    return lock_paths[plan_.single_path || !one_in(3) ? 0 : 1];
}

std::size_t simulation::syncs() const {
    std::size_t sum = 0;
    for (const auto& client : clients_)
        sum += client->asked().syncs();
    return sum;
}

std::size_t simulation::checks() const {
    std::size_t sum = 0;
    for (const auto& client : clients_)
        sum += client->asked().checks();
    return sum;
}

bool simulation::settled() const {
    return !rights_lack_ && judge_.open() == 0 &&
           std::none_of(clients_.begin(), clients_.end(), [](const auto& client) {
               return client->connecting() || client->surveying();
           });
}

void simulation::run_until(instant end, bool until_settled) {
    auto before = events_.now();
    for (int steps = 0; !broken() && !(until_settled && settled()); ++steps) {
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
    if (plan_.delete_denials)
        change_rights();
    if (plan_.read_denials)
        hide_paths();
    if (plan_.throttles)
        throttle();
    if (plan_.throttled_barriers)
        for (std::size_t index = 0; index < ensemble_.size(); ++index)
            ensemble_.server(index).throttle_barriers();
    if (plan_.slow_server)
        slow_down();
    if (plan_.harms_nobody())
        watch_queues();
    run_until(end_of_faults, false);
    working_ = false;
    ensemble_.end_outage();
    ensemble_.heal();
    if (plan_.cancels_in_doubt)
        cancel_in_doubt();
    if (plan_.read_denials) {
        run_until(events_.now() + 5 * session_timeout, false); // what was under way is done
        give_rights_back(model_right::read);
    }
    if (plan_.delete_denials) {
        run_until(events_.now() + 5 * session_timeout, false);
        check_nobody_waits_behind_kept();
        give_rights_back(model_right::remove);
    }
    run_until(events_.now() + healing_time, true);
    if (broken())
        return;
    for (const auto& client : clients_)
        if (client->connecting())
            reports_.push_back(client->name() + " waits for its connection for ever");
    for (const auto& client : clients_)
        if (client->surveying())
            reports_.push_back(client->name() + " is never told who stands in line");
    judge_.finish();
    run_until(events_.now() + session_timeout * 3, false); // last deletions, sweeps, expiries
    if (!broken())
        check_nothing_left();
}

void simulation::check_nothing_left() {
    for (const auto& path : paths())
        for (const auto& child : ensemble_.truth().children(path))
            judge_.left(path + ('/' + child));
    if (ensemble_.watches() > 0)
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
