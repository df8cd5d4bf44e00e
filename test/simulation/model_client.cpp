#include "model_client.hpp"

#include "support/names.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace turnstile::test {

using protocol::failure;
using protocol::instant;
using protocol::ticket_id;

model_client::model_client(std::string name, const surroundings& around, protocol::settings options,
                           std::uint64_t seed)
    : name_(std::move(name)),
      around_(around),
      link_(around.ensemble,
            {.connected =
                 [this](std::int64_t session, protocol::duration timeout) {
                     input([session, timeout](auto& machine, instant now) {
                         machine.on_connected(now, {.session_id = session}, timeout);
                     });
                 },
             .disconnected =
                 [this](protocol::disconnect_reason why) {
                     input(
                         [why](auto& machine, instant now) { machine.on_disconnected(now, why); });
                 },
             .replied =
                 [this](protocol::request_id id, const protocol::reply& answer) {
                     input([id, answer](auto& machine, instant now) {
                         machine.on_reply(now, id, answer);
                     });
                 },
             .fired =
                 [this](protocol::watch_event event, const std::string& node) {
                     note((event == protocol::watch_event::changed ? "event changed "
                                                                   : "event deleted ") +
                          node);
                     input([event, node](auto& machine, instant now) {
                         machine.on_watch(now, event, node);
                     });
                 },
             .trace = [this](const std::string& text) { note(text); }}),
      machine_(
          options, [engine = std::make_shared<std::mt19937_64>(seed)] { return (*engine)(); },
          link_, *this),
      small_budget_(options.ticket_bytes < 4096) {}

void model_client::input(
    std::function<void(protocol::session_machine&, protocol::instant)> function) {
    if (dead_)
        return;
    if (paused()) {
        backlog_.push_back([this, function = std::move(function)] { input(function); });
        return;
    }
    function(machine_, around_.ensemble.now());
    if (holds_anything() && !at_risk_ && around_.ensemble.now() >= lease_.risk)
        around_.report(name_ + ": a risk was not told");
    arm();
}

void model_client::pause_until(instant end) {
    if (dead_ || paused())
        return;
    note("pauses");
    paused_until_ = end;
    around_.ensemble.events().at(lease_.told, [this] {
        if (paused())
            stop_believing();
    });
    around_.ensemble.events().at(end, [this] {
        note("goes on");
        for (const auto& missed : std::exchange(backlog_, {}))
            missed();
    });
}

void model_client::stop_believing() {
    for (const auto& [id, which] : acquires_)
        if (which.now == state::held || which.lingers)
            around_.beliefs.ended(which.what.path, id);
}

void model_client::arm() {
    const auto next = machine_.next_timer();
    if (!next || (armed_ && *armed_ <= *next))
        return;
    armed_ = *next;
    around_.ensemble.events().at(*next, [this, due = *next] {
        if (armed_ != due)
            return; // an earlier one was set since
        input([this](auto& machine, instant now) {
            armed_.reset();
            machine.on_time(now);
        });
    });
}

void model_client::connect() {
    input([](auto& machine, instant now) { machine.connect(now); });
}

void model_client::begin(ticket_id id, const protocol::acquire_request& what) {
    note("acquire " + std::to_string(id) + ' ' + what.path +
         (what.kind == protocol::ticket_kind::shared ? " shared" : ""));
    acquires_.emplace(id, acquire{.what = what});
    input([id, what](auto& machine, instant now) { machine.acquire(now, id, what); });
}

void model_client::cancel(ticket_id id) {
    auto& which = acquires_.at(id);
    if (dead_ || paused() || which.now != state::acquiring)
        return;
    note("cancel " + std::to_string(id));
    which.cancelled = true;
    input([id](auto& machine, instant now) { machine.cancel(now, id); });
    if (which.now == state::acquiring)
        wrong(id, "is not over after its cancel");
}

void model_client::release(ticket_id id) {
    auto& which = acquires_.at(id);
    if (dead_ || (which.now != state::held && !which.lingers))
        return;
    if (paused()) {
        backlog_.push_back([this, id] { release(id); });
        return;
    }
    which.lingers = false;
    note("release " + std::to_string(id));
    which.now = state::releasing;
    around_.beliefs.ended(which.what.path, id);
    input([id](auto& machine, instant now) { machine.release(now, id); });
}

void model_client::close() {
    note("close");
    closing_ = true;
    input([](auto& machine, instant now) { machine.close(now); });
}

void model_client::crash() {
    note("crash");
    forsake();
    dead_ = true;
    link_.cut();
    for (auto& [id, which] : acquires_)
        which.now = state::over;
}

void model_client::forsake() {
    forsaken_ = session();
    stop_believing();
}

bool model_client::is_doomed() const { return forsaken_ && forsaken_ == session(); }

bool model_client::holds(std::int64_t czxid) const {
    return !dead_ && std::any_of(acquires_.begin(), acquires_.end(), [&](const auto& entry) {
        return entry.second.now == state::held && entry.second.czxid == czxid;
    });
}

std::size_t model_client::count(state which) const {
    std::size_t result = 0;
    for (const auto& [id, entry] : acquires_)
        result += entry.now == which ? 1 : 0;
    return result;
}

std::vector<std::string> model_client::unsettled_texts() const {
    std::vector<std::string> result;
    for (const auto& [id, which] : acquires_)
        if (which.now != state::over)
            result.push_back(name_ + " ticket " + std::to_string(id) + " of " + which.what.path +
                             (which.now == state::acquiring ? " waits"
                              : which.now == state::held    ? " holds"
                                                            : " is being released"));
    return result;
}

bool model_client::is_expected(const acquire& which, failure why) const {
    switch (why) {
    case failure::cancelled:
        return which.cancelled;
    case failure::timed_out:
        return which.what.limit.has_value();
    case failure::would_block:
        return !which.what.patient;
    case failure::session_full:
        return small_budget_;
    case failure::session_closed:
        return closing_;
    case failure::create_denied:
    case failure::read_denied:
    case failure::write_denied:
        return which.what.path == around_.denied;
    default:
        return false;
    }
}

void model_client::wrong(ticket_id id, const std::string& text) {
    around_.report(name_ + ": ticket " + std::to_string(id) + ' ' + text);
}

void model_client::on_phase(protocol::session_phase phase) { note("is " + name_of(phase)); }

void model_client::on_closed() {
    note("closed");
    closed_ = true;
}

void model_client::on_granted(ticket_id id, std::int64_t czxid) {
    note("granted " + std::to_string(id));
    auto& which = acquires_.at(id);
    if (which.now != state::acquiring)
        return wrong(id, "was granted though its acquire was over");
    which.now = state::held;
    which.czxid = czxid;
    if (around_.check_beliefs && !is_doomed())
        around_.beliefs.granted(which.what.path, id, which.what.kind, czxid);
    around_.on_held(*this, id);
}

void model_client::on_acquire_failed(ticket_id id, failure why, protocol::zookeeper_code) {
    note("failed " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.now != state::acquiring)
        wrong(id, "failed though its acquire was over");
    if (!is_expected(which, why))
        wrong(id, "failed without a reason: " + name_of(why));
    which.now = state::over;
}

void model_client::on_lost(ticket_id id, failure why) {
    note("lost " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.now == state::releasing) {
        which.was_lost = true;
        return; // a loss that a pause hid comes first, then the end of the release
    }
    if (which.now != state::held)
        wrong(id, "was lost though it was not held");
    which.now = state::over;
    which.was_lost = true;
    if (why == failure::lost_deadline && !around_.pauses && around_.ensemble.now() > lease_.told)
        wrong(id, "was told of its loss too late");
    if (why == failure::lost_deadline && !at_risk_)
        wrong(id, "was lost by its deadline without a warning");
    if (why != failure::lost_deadline)
        return around_.beliefs.ended(which.what.path, id);
    // The margin is the holder's: it goes on believing until the deadline, unless it releases.
    which.lingers = true;
    around_.ensemble.events().at(lease_.deadline, [this, id] {
        if (auto& lost = acquires_.at(id); std::exchange(lost.lingers, false))
            around_.beliefs.ended(lost.what.path, id);
    });
}

void model_client::on_released(ticket_id id, failure why, protocol::zookeeper_code) {
    note("released " + std::to_string(id) + ' ' + name_of(why));
    auto& which = acquires_.at(id);
    if (which.now != state::releasing)
        wrong(id, "was released though nobody asked");
    if (why == failure::lost_deadline && !which.was_lost)
        wrong(id, "had been lost without a word");
    which.now = state::over;
}

void model_client::on_deadline(const protocol::lease_instants& in_force) {
    if (in_force.told > in_force.deadline)
        around_.report(name_ + ": losses are told after the deadline");
    if (in_force.risk >= in_force.told && in_force.deadline > instant{})
        around_.report(name_ + ": a risk is no warning");
    lease_ = in_force;
}

void model_client::on_risk(bool at_risk) {
    note(at_risk ? "is at risk" : "is out of danger");
    at_risk_ = at_risk;
    const auto now = around_.ensemble.now();
    if (at_risk && now < lease_.risk)
        around_.report(name_ + ": a risk was told early");
}

void model_client::on_note(protocol::note_level, std::string_view text) {
    note("notes: " + std::string(text));
}

} // namespace turnstile::test
