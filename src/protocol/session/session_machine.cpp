#include "protocol/session/session_machine.hpp"

#include "protocol/session/session_machine_input.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace turnstile::protocol {

namespace {

std::string request_text(std::uint64_t random, ticket_id ticket) {
    std::array<char, 40> text{};
    auto end = std::to_chars(text.data(), text.data() + 17, random, 16).ptr;
    *end++ = '-';
    end = std::to_chars(end, text.data() + text.size(), ticket).ptr;
    return {text.data(), end};
}

// Longer than time lasts is no limit, and less than nothing is over at once.
std::optional<instant> end_of(instant now, const std::optional<duration>& limit) {
    if (!limit || *limit >= instant::max() - now)
        return std::nullopt;
    return now + std::max(*limit, duration::zero());
}

} // namespace

session_machine::session_machine(settings options, random_source random, port& outlet,
                                 listener& events)
    : core_(std::move(options), std::move(random), outlet, events),
      connector_(core_, [this](failure why) { give_up(why); }),
      heartbeat_(
          core_, [this] { return subject_of_beat(); },
          [this](const std::string& node) { on_missing(node); }),
      lines_(core_),
      looks_(core_),
      reach_(core_),
      lease_watch_(core_),
      close_limit_(core_.clock) {}

session_machine::~session_machine() { core_.wire.abandon(); }

void session_machine::begin_input(instant now) {
    core_.wire.set_now(std::max(now, core_.now()));
    lease_watch_.check(); // before anything else is told, also after a pause of the process
}

void session_machine::end_input() {
    lines_.admit();
    core_.tell_deadline();
    heartbeat_.check_lease();
    lease_watch_.arm();
    if (is_closing())
        finish_close();
}

void session_machine::connect(instant now) {
    const input frame(*this, now);
    if (is_closing() || phase() == session_phase::closed)
        return core_.events.on_connect_result(failure::session_closed);
    if (phase() != session_phase::connected)
        return connector_.start(true);
    if (answered_)
        core_.events.on_connect_result(failure::none);
}

void session_machine::cancel_connect(instant now) {
    const input frame(*this, now);
    connector_.end_limit();
}

void session_machine::acquire(instant now, ticket_id id, const acquire_request& what) {
    const input frame(*this, now);
    if (is_closing() || phase() == session_phase::closed)
        return core_.events.on_acquire_failed(id, failure::session_closed, zookeeper_code::ok);
    if (lines_.is_nested(what.path))
        return core_.events.on_acquire_failed(id, failure::nested_path, zookeeper_code::ok);
    auto& where = lines_.at(what.path);
    auto newcomer = std::make_unique<ticket>(id, where, core_.clock);
    newcomer->kind = what.kind;
    newcomer->patient = what.patient;
    newcomer->request = request_text(core_.random(), id);
    newcomer->started = core_.now();
    if (const auto end = end_of(core_.now(), what.limit))
        newcomer->limit.set(*end, [this, id] {
            const auto who = core_.find(id);
            if (who && core_.mutated(mutant::limit_survives_grant))
                core_.events.on_acquire_failed(id, failure::timed_out, zookeeper_code::ok);
            else if (who)
                who->where.cancel(*who, failure::timed_out);
        });
    where.enter(std::move(newcomer));
    if (!core_.wire.connected()) {
        connector_.start(false);
        reach_.watch();
    }
}

void session_machine::cancel(instant now, ticket_id id) {
    const input frame(*this, now);
    if (const auto who = core_.find(id))
        who->where.cancel(*who, failure::cancelled);
}

void session_machine::release(instant now, ticket_id id) {
    const input frame(*this, now);
    const auto who = core_.find(id);
    if (!who || who->phase < ticket_phase::held)
        return core_.events.on_released(id, failure::lost_deadline, zookeeper_code::ok);
    who->where.release(*who);
    if (!core_.wire.connected())
        connector_.start(false);
}

void session_machine::on_connected(instant now, const credentials& session, duration timeout) {
    const input frame(*this, now);
    answered_ = false;
    core_.dropping = false;
    if (!connector_.is_trying())
        return core_.drop_connection(); // answered after the attempts had ended
    const bool renewed = session.session_id != core_.session_id;
    // Another session's id says that the one before is over, even where nobody told its end.
    if (renewed && core_.session_id != 0 && !core_.mutated(mutant::changed_session_kept))
        end_session();
    if (renewed) {
        core_.proof.reset();
        warn_of_short(timeout);
    }
    core_.session_id = session.session_id;
    core_.proof.connected(connector_.attempt_began(), core_.now(), timeout);
    core_.wire.connected(true);
    connector_.on_connected(session, timeout);
    // First of all a write, if there is anything that a lagging server could show wrongly: what is
    // asked after it on this connection is answered with its effect.
    heartbeat_.on_connected();
    lines_.for_each([](line& where) { where.on_connected(); });
    look_queue::entries looks;
    lines_.for_each([&looks](const line& where) { where.collect_looks(looks); });
    looks_.start(std::move(looks));
}

void session_machine::warn_of_short(duration timeout) const {
    if (timeout < 2 * core_.options.tick)
        core_.events.on_note(note_level::warning,
                             "the session timeout granted is below two ticks of the servers: a "
                             "lock may be lost late; ask for more, or set session_options::tick");
}

void session_machine::on_disconnected(instant now, disconnect_reason why) {
    const input frame(*this, now);
    core_.dropping = false;
    looks_.clear();
    if (!core_.mutated(mutant::watches_survive_connection))
        core_.watches.clear();
    heartbeat_.on_disconnected();
    core_.wire.fail_all();
    core_.proof.disconnected();
    lines_.for_each([](line& where) { where.on_disconnected(); });
    if (closing_ >= closing_step::sent) {
        if (why == disconnect_reason::closed)
            lines_.for_each([](line& where) { where.on_expired(); });
        return;
    }
    if (why == disconnect_reason::expired)
        end_session();
    connector_.on_disconnected(why);
    reach_.watch();
}

void session_machine::end_session() {
    core_.events.on_note(note_level::warning, "the session expired");
    core_.session_id = 0;
    core_.proof.reset();
    lines_.for_each([](line& where) { where.on_expired(); });
}

void session_machine::on_reply(instant now, request_id id, const reply& answer) {
    const input frame(*this, now);
    // A refused identity ends the connection before anything is answered on it.
    if (!std::exchange(answered_, true)) {
        connector_.on_answered();
        core_.events.on_connect_result(failure::none);
    }
    core_.wire.on_reply(id, answer);
    if (core_.wire.wrote()) // a server whose disk hangs shakes hands as well
        reach_.stop();
}

void session_machine::on_watch(instant now, watch_event event, const std::string& node) {
    const input frame(*this, now);
    for (const auto id : core_.watches.take(node))
        if (const auto who = core_.find(id))
            who->where.on_watch(*who, node, event);
}

void session_machine::on_time(instant now) {
    const input frame(*this, now);
    while (const auto due = core_.clock.pop(core_.now()))
        (*due)();
}

std::optional<instant> session_machine::next_timer() const { return core_.clock.next(); }

std::optional<std::string> session_machine::subject_of_beat() {
    // Held ones in turn; else any ticket, or a path where one may be or is leaving.
    if (!core_.held.empty()) {
        auto next = core_.held.upper_bound(last_checked_);
        if (next == core_.held.end())
            next = core_.held.begin();
        last_checked_ = *next;
        const auto who = core_.find(*next);
        return who->where.path_of(*who);
    }
    for (const auto& [id, who] : core_.tickets)
        if (who->has_node())
            return who->where.path_of(*who);
    return lines_.busy_path();
}

void session_machine::on_missing(const std::string& node) {
    for (const auto& [id, who] : core_.tickets)
        if (who->has_node() && who->where.path_of(*who) == node)
            return who->where.on_deleted_outside(*who);
}

} // namespace turnstile::protocol
