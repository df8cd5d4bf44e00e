// SPDX-License-Identifier: BSL-1.0
#include "model_client.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace turnstile::test {

using promises::happening;
using promises::stage;
using protocol::instant;
using protocol::ticket_id;

model_client::model_client(std::string name, const surroundings& around, protocol::settings options,
                           std::uint64_t seed)
    : name_(std::move(name)),
      around_(around),
      link_(around.ensemble,
            {.connected =
                 [this](std::int64_t session, protocol::duration timeout) {
                     input([this, session, timeout, met = link_.met_at()](auto& machine,
                                                                          instant now) {
                         met_at_ = met;
                         const auto before = asked_.watches();
                         const auto last = machine.session().session_id;
                         session_ends_ = last != 0 && last != session;
                         machine.on_connected(now, {.session_id = session}, timeout);
                         if (std::exchange(session_ends_, false) && holds_anything())
                             around_.report(name_ + ": holds what went with its session");
                         if (asked_.watches() - before > rewatch_window_ + yields_.size() +
                                                             watched_.size() + 2 * followed_.size())
                             around_.report(name_ + ": looked at too much at once");
                     });
                 },
             .disconnected =
                 [this](protocol::disconnect_reason why) {
                     input([this, why](auto& machine, instant now) {
                         session_ends_ = why == protocol::disconnect_reason::expired;
                         machine.on_disconnected(now, why);
                         session_ends_ = false;
                     });
                 },
             .replied =
                 [this](protocol::request_id id, const protocol::reply& answer) {
                     input([this, id, answer](auto& machine, instant now) {
                         learn(id, answer);
                         machine.on_reply(now, id, answer);
                         listing_.reset();
                     });
                 },
             .fired =
                 [this](protocol::watch_event event, const std::string& node) {
                     if (around_.trace)
                         note((event == protocol::watch_event::changed ? "event changed "
                                                                       : "event deleted ") +
                              node);
                     input([event, node](auto& machine, instant now) {
                         machine.on_watch(now, event, node);
                     });
                 },
             .trace = around.trace ? [this](const std::string& text) { note(text); }
                                   : std::function<void(const std::string&)>(),
             .report = [this](const std::string& text) { around_.report(name_ + ' ' + text); }}),
      machine_(
          options, [engine = std::make_shared<std::mt19937_64>(seed)] { return (*engine)(); },
          asked_, *this, *this),
      enqueue_window_(options.enqueue_window),
      rewatch_window_(options.rewatch_window * (options.watches_own_data ? 2 : 1)),
      small_budget_(options.ticket_bytes < 4096) {
    asked_.on_transaction([this](const protocol::request& what) { check_write(what); });
}

void model_client::input(
    std::function<void(protocol::session_machine&, protocol::instant)> function) {
    if (dead_)
        return;
    if (paused()) {
        backlog_.push_back([this, function = std::move(function)] { input(function); });
        return;
    }
    function(machine_, around_.ensemble.now());
    if (asked_.enqueues() > enqueue_window_)
        around_.report(name_ + ": enqueued too much at once");
    if (holds_anything() && !at_risk_ && around_.ensemble.now() >= lease_.risk)
        around_.report(name_ + ": a risk was not told");
    arm();
    if (std::exchange(connect_again_, false))
        connect();
}

void model_client::learn(protocol::request_id id, const protocol::reply& answer) {
    asked_.learn(id, answer);
    if (asked_.take_listing(id) && answer.code == protocol::zookeeper_code::ok)
        listing_ = answer.children;
}

void model_client::pause_until(instant end) {
    if (dead_ || paused())
        return;
    note("pauses");
    paused_until_ = end;
    around_.ensemble.events().at(lease_.loss_at, [this] {
        if (!paused())
            return;
        for (const auto& [id, which] : acquires_)
            if (believes(id)) {
                see(id, happening::excused);
                excused_.push_back(id);
            }
    });
    around_.ensemble.events().at(end, [this] {
        note("goes on");
        for (const auto& missed : std::exchange(backlog_, {}))
            missed();
        // Locks that were lost meanwhile are released in this instant.
        around_.ensemble.events().after({}, [this] {
            for (const auto id : std::exchange(excused_, {}))
                see(id, happening::excuse_over);
        });
    });
}

void model_client::excuse_belief(const lock_node& node) {
    for (const auto& [id, which] : acquires_)
        if (which.is_by(node))
            see(id, happening::excused);
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
    input([this](auto& machine, instant now) {
        connecting_ = true;
        machine.connect(now);
    });
}

void model_client::cancel_connect() {
    input([this](auto& machine, instant now) {
        connecting_ = false;
        machine.cancel_connect(now);
    });
}

void model_client::begin(ticket_id id, const protocol::acquire_request& what, bool beside) {
    know(id, {.what = what, .beside = beside});
    ask(id, what);
    input([id, what](auto& machine, instant now) { machine.acquire(now, id, what); });
}

void model_client::ask(ticket_id id, const protocol::acquire_request& what) {
    note("acquire " + std::to_string(id) + ' ' + what.path +
         (what.kind == protocol::ticket_kind::shared ? " shared" : ""));
    const auto lock = around_.judge.lock_named(what.path);
    const auto all = around_.judge.locks()[lock].kind.all();
    see(id, {.what = happening::asks,
             .lock = lock,
             .takes = what.permits > 0                             ? what.permits
                      : what.kind == protocol::ticket_kind::shared ? promises::reader
                                                                   : all});
}

void model_client::cancel(ticket_id id) {
    if (dead_ || paused() || stage_of(id) != stage::waiting)
        return;
    note("cancel " + std::to_string(id));
    acquires_.at(id).cancelled = true;
    input([id](auto& machine, instant now) { machine.cancel(now, id); });
    see(id, happening::cancelled);
}

void model_client::release(ticket_id id) {
    if (dead_ || !believes(id))
        return;
    if (paused()) {
        backlog_.push_back([this, id] { release(id); });
        return;
    }
    note("release " + std::to_string(id));
    stop_awaiting(id);
    see(id, happening::releases);
    acquires_.at(id).released_by =
        std::max(lease_.deadline, around_.ensemble.now() + machine_.timeout() / 8);
    input([id](auto& machine, instant now) { machine.release(now, id); });
}

void model_client::downgrade(ticket_id id) {
    if (dead_ || paused() || stage_of(id) != stage::held)
        return;
    note("downgrade " + std::to_string(id));
    for (auto& [handle, each] : acquires_)
        each.reads = each.reads || each.is_by({acquires_.at(id).czxid, path_of(id)});
    const auto before = acquires_.at(id).downgrades++;
    input([id](auto& machine, instant now) { machine.downgrade(now, id); });
    if (acquires_.at(id).downgrades > before) // not refused at once: from here on it reads
        see(id, {.what = happening::takes_other, .takes = promises::reader});
}

void model_client::upgrade(ticket_id id, ticket_id writer) {
    if (dead_ || paused() || stage_of(id) != stage::held)
        return;
    note("upgrade " + std::to_string(id) + " by " + std::to_string(writer));
    ++acquires_.at(id).upgrades;
    input([id, writer](auto& machine, instant now) { machine.upgrade(now, id, writer); });
}

void model_client::on_committed_downgrade(const std::string& from, const std::string& to,
                                          std::int64_t zxid) {
    for (auto& [id, which] : acquires_)
        if (const auto* const path = asked_.path_of(which.czxid, which.what.path);
            path && *path == from)
            which.czxid = zxid;
    asked_.know(to, zxid);
}

void model_client::on_committed_change(std::optional<instant> held_since) {
    if (held_since && *held_since < change_began_)
        return; // of an earlier change, of a semaphore that was removed and made anew since
    if (++changes_done_ > 1)
        around_.report(name_ + "'s change of the semaphore happened twice");
}

void model_client::share(ticket_id id, ticket_id further) {
    if (dead_ || paused() || stage_of(id) != stage::held)
        return;
    note("share " + std::to_string(id) + " as " + std::to_string(further));
    const auto which = acquires_.at(id);
    know(further, acquire(which));
    input([id, further](auto& machine, instant now) { machine.share(now, id, further); });
    if (stage_of(id) != stage::held) { // lost at that moment: its handles know
        acquires_.erase(further);
        open_.pop_back();
        return;
    }
    see(further, {.what = happening::asks,
                  .lock = around_.judge.lock_named(which.what.path),
                  .takes = 0,
                  .with = id});
    see(further, {.what = happening::granted, .token = around_.judge.of(id).token});
}

void model_client::survey(ticket_id id, const std::string& path, std::size_t most,
                          line_listener then) {
    note("survey " + std::to_string(id) + ' ' + path);
    const auto what = std::make_shared<protocol::line_survey>(path, most);
    surveys_.emplace(id, std::pair(what, std::move(then)));
    ask(id, what);
}

void model_client::change(protocol::semaphore_change what) {
    const auto id = ++last_inquiry_;
    note(what.is_set() ? "sets the limit to " + std::to_string(what.limit())
                       : "removes the semaphore");
    const auto asked = std::make_shared<protocol::semaphore_change>(std::move(what));
    changes_.emplace(id, asked);
    changes_done_ = 0;
    change_began_ = around_.ensemble.now();
    ask(id, asked);
}

void model_client::close() {
    note("close");
    closing_ = true;
    input([](auto& machine, instant now) { machine.close(now); });
}

void model_client::crash() {
    note("crash");
    dead_ = true;
    connecting_ = false;
    link_.end_connection();
    look_ups_.clear();
    for (const auto& [id, which] : acquires_)
        see(id, happening::dies);
}

void model_client::forsake() {
    forsaken_ = session();
    for (const auto& [id, which] : acquires_)
        if (believes(id))
            see(id, happening::excused);
}

bool model_client::is_doomed() const { return forsaken_ && forsaken_ == session(); }

bool model_client::holds(const lock_node& by) const {
    return !dead_ && std::any_of(acquires_.begin(), acquires_.end(), [&](const auto& entry) {
        return entry.second.is_by(by) && stage_of(entry.first) == stage::held;
    });
}

void model_client::see(ticket_id id, happening what) { see(id, promises::event{.what = what}); }

void model_client::see(ticket_id id, promises::event what) {
    what.who = id;
    what.when = around_.ensemble.now().time_since_epoch();
    around_.judge.see(what);
}

void model_client::know(ticket_id id, acquire&& which) {
    acquires_.emplace(id, std::move(which));
    open_.push_back(id);
}

const std::vector<ticket_id>& model_client::open() const {
    std::erase_if(open_, [this](ticket_id id) { return stage_of(id) == stage::over; });
    return open_;
}

std::size_t model_client::count(stage which) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(open(), [&](ticket_id id) { return stage_of(id) == which; }));
}

std::size_t model_client::acquiring() const {
    return static_cast<std::size_t>(std::ranges::count_if(open(), [&](ticket_id id) {
        return !acquires_.at(id).beside && stage_of(id) == stage::waiting;
    }));
}

std::size_t model_client::acquiring(const std::string& path) const {
    return static_cast<std::size_t>(std::ranges::count_if(open(), [&](ticket_id id) {
        return acquires_.at(id).what.path == path && stage_of(id) == stage::waiting;
    }));
}

std::vector<ticket_id> model_client::waiting() const {
    std::vector<ticket_id> result;
    for (const auto id : open())
        if (stage_of(id) == stage::waiting)
            result.push_back(id);
    return result;
}

} // namespace turnstile::test
