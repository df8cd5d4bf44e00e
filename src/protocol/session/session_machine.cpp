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

session_machine::session_machine(settings options, random_source random, port& the_port,
                                 listener& events)
    : context_(std::move(options), std::move(random), the_port, events),
      rules_(context_.options),
      connector_(context_, [this](failure why) { give_up(why); }),
      heartbeat_(
          context_, [this] { return subject_of_beat(); },
          [this](const std::string& node) { on_missing(node); }),
      queues_(context_),
      single_nodes_(context_),
      rewatches_(context_),
      inquiries_(context_),
      unreachable_(context_, single_nodes_),
      lease_watch_(context_, [this](ticket_id id) { lose(id); }),
      close_limit_(context_.clock) {}

session_machine::~session_machine() { context_.requests.abandon(); }

void session_machine::begin_input(instant now) {
    context_.requests.set_now(std::max(now, context_.now()));
    lease_watch_.check(); // before anything else is told, also after a pause of the process
}

void session_machine::end_input() {
    queues_.admit();
    context_.tell_deadline();
    heartbeat_.check_lease();
    lease_watch_.arm();
    if (is_closing())
        finish_close();
}

void session_machine::connect(instant now) {
    const input frame(*this, now);
    if (is_closing() || phase() == session_phase::closed)
        return context_.events.on_connect_result(failure::session_closed);
    if (phase() != session_phase::connected)
        return connector_.start(true);
    if (answered_)
        context_.events.on_connect_result(failure::none);
}

void session_machine::cancel_connect(instant now) {
    const input frame(*this, now);
    connector_.end_limit();
}

void session_machine::acquire(instant now, ticket_id id, const acquire_request& what) {
    const input frame(*this, now);
    if (is_closing() || phase() == session_phase::closed)
        return context_.events.on_acquire_failed(id, failure::session_closed, zookeeper_code::ok);
    if (const auto why = misplaced(what); why != failure::none)
        return context_.events.on_acquire_failed(id, why, zookeeper_code::ok);
    if (what.single_node)
        return acquire_node(id, what);
    auto& where = queues_.at(what.path);
    const auto end = end_of(context_.now(), what.limit);
    if (const auto who = what.kind == ticket_kind::shared ? where.to_share(what.patient) : nullptr)
        return join(*who, id, end);
    if (what.patient && where.holds_against(what.kind) && refuses_wait_for_own(id, what.path))
        return;
    auto newcomer = std::make_unique<ticket>(id, where, context_.clock);
    newcomer->kind = what.kind;
    newcomer->patient = what.patient;
    newcomer->request = request_text(context_.random(), id);
    newcomer->started = context_.now();
    if (end)
        newcomer->acquire_deadline.set(*end, [this, id] { end_wait(id); });
    where.enter(std::move(newcomer));
    if (!context_.requests.connected()) {
        connector_.start(false);
        unreachable_.watch();
    }
}

// Asked with each acquire: where there is no lock of one node, that costs next to nothing.
failure session_machine::misplaced(const acquire_request& what) const {
    const auto& path = what.path;
    if (what.single_node ? queues_.find(path) != nullptr : single_nodes_.contains(path))
        return failure::wrong_kind;
    if (what.single_node && single_nodes_.contains(path))
        return failure::none;
    if (single_nodes_.size() > 0 && !queues_.find(path) && single_nodes_.is_nested(path))
        return failure::nested_path;
    return queues_.is_nested(path) ? failure::nested_path : failure::none;
}

void session_machine::acquire_node(ticket_id id, const acquire_request& what) {
    if (what.patient && single_nodes_.is_held(what.path) && refuses_wait_for_own(id, what.path))
        return;
    auto newcomer = std::make_unique<single_node::acquire>(id, context_.clock);
    newcomer->patient = what.patient;
    newcomer->request = request_text(context_.random(), id);
    newcomer->started = context_.now();
    single_nodes_.acquire(what.path, std::move(newcomer), end_of(context_.now(), what.limit));
    if (!context_.requests.connected()) {
        connector_.start(false);
        unreachable_.watch();
    }
}

void session_machine::lose(ticket_id id) {
    if (const auto who = context_.find(id))
        who->where.lose(*who);
    else
        single_nodes_.lose(id);
}

bool session_machine::refuses_wait_for_own(ticket_id id, const std::string& path) {
    const auto how = context_.options.own_waits;
    if (how == own_wait::refused)
        context_.events.on_acquire_failed(id, failure::would_deadlock, zookeeper_code::ok);
    else if (how == own_wait::noted)
        context_.events.on_note(note_level::warning,
                                "an acquire waits for a lock that its own session holds: " + path);
    return how == own_wait::refused;
}

void session_machine::join(ticket& who, ticket_id id, std::optional<instant> end) {
    const bool held = who.phase == ticket_phase::held;
    ++who.joins;
    context_.callers.join(who, id, context_.now(), held ? std::nullopt : end,
                          [this, id] { end_wait(id); });
    if (held)
        return context_.events.on_granted(id, context_.rules.token_of(who));
    unreachable_.watch();
}

void session_machine::downgrade(instant now, ticket_id id) {
    const input frame(*this, now);
    const auto who = context_.ticket_of(id);
    if (!who || who->phase < ticket_phase::held)
        return context_.events.on_downgraded(id, failure::lost_deadline, zookeeper_code::ok);
    who->where.downgrade(*who, id);
    if (!context_.requests.connected())
        connector_.start(false);
}

void session_machine::share(instant now, ticket_id holder, ticket_id further) {
    const input frame(*this, now);
    if (const auto who = context_.ticket_of(holder); who && who->phase >= ticket_phase::held)
        context_.callers.join(*who, further, context_.now(), std::nullopt, {});
    else
        single_nodes_.share(holder, further);
}

void session_machine::end_wait(ticket_id id) {
    const auto who = context_.ticket_of(id);
    if (who && !rules_.limit_ends_with_grant())
        context_.events.on_acquire_failed(id, failure::timed_out, zookeeper_code::ok);
    else if (who)
        who->where.cancel(*who, id, failure::timed_out);
}

void session_machine::inquire(instant now, inquiry_id id, const request& what) {
    const input frame(*this, now);
    if (is_closing() || phase() == session_phase::closed)
        return context_.events.on_inquiry_failed(id, failure::session_closed);
    inquiries_.begin(id, what);
    if (!context_.requests.connected())
        connector_.start(false);
}

void session_machine::cancel(instant now, watcher_id id) {
    const input frame(*this, now);
    if (const auto who = context_.ticket_of(id))
        who->where.cancel(*who, id, failure::cancelled);
    else if (single_nodes_.knows(id))
        single_nodes_.cancel(id, failure::cancelled);
    else
        inquiries_.cancel(id);
}

void session_machine::release(instant now, ticket_id id) {
    const input frame(*this, now);
    const auto who = context_.ticket_of(id);
    if (who && who->phase >= ticket_phase::held)
        who->where.release(*who, id);
    else if (!single_nodes_.release(id))
        return context_.events.on_released(id, failure::lost_deadline, zookeeper_code::ok);
    if (!context_.requests.connected())
        connector_.start(false);
}

void session_machine::on_connected(instant now, const credentials& session, duration timeout) {
    const input frame(*this, now);
    answered_ = false;
    context_.dropping = false;
    if (!connector_.is_trying())
        return context_.drop_connection(); // answered after the attempts had ended
    const bool renewed = session.session_id != context_.session_id;
    if (rules_.ends_session(context_.session_id, session.session_id))
        end_session();
    if (renewed) {
        context_.lease.reset();
        warn_of_short(timeout);
    }
    context_.session_id = session.session_id;
    context_.lease.connected(connector_.attempt_began(), context_.now(), timeout);
    context_.requests.connected(true);
    connector_.on_connected(session, timeout);
    // First of all a write, if there is anything that a lagging server could show wrongly: what is
    // asked after it on this connection is answered with its effect.
    heartbeat_.on_connected();
    queues_.for_each([](lock_queue& where) { where.on_connected(); });
    single_nodes_.for_each([](single_node& where) { where.on_connected(); });
    rewatch_queue::entries rewatches;
    queues_.for_each([&rewatches](const lock_queue& where) { where.collect_rewatches(rewatches); });
    rewatches_.start(std::move(rewatches));
    inquiries_.on_connected();
}

void session_machine::warn_of_short(duration timeout) const {
    if (timeout < 2 * context_.options.tick)
        context_.events.on_note(
            note_level::warning,
            "the session timeout granted is below two ticks of the servers: a "
            "lock may be lost late; ask for more, or set session_options::tick");
}

void session_machine::on_disconnected(instant now, disconnect_reason why) {
    const input frame(*this, now);
    context_.dropping = false;
    rewatches_.clear();
    if (rules_.watches_end_with_connection())
        context_.watches.clear();
    heartbeat_.on_disconnected();
    context_.requests.fail_all();
    context_.lease.disconnected();
    queues_.for_each([](lock_queue& where) { where.on_disconnected(); });
    single_nodes_.for_each([](single_node& where) { where.on_disconnected(); });
    inquiries_.on_disconnected();
    if (closing_ >= closing_step::sent) {
        if (why == disconnect_reason::closed)
            end_locks(failure::none);
        return;
    }
    if (why == disconnect_reason::expired)
        end_session();
    connector_.on_disconnected(why);
    unreachable_.watch();
}

void session_machine::end_session() {
    context_.events.on_note(note_level::warning, "the session expired");
    context_.session_id = 0;
    context_.lease.reset();
    end_locks(failure::none);
}

void session_machine::end_locks(failure releases) {
    queues_.for_each([&](lock_queue& where) { where.on_expired(releases); });
    single_nodes_.for_each([&](single_node& where) { where.on_expired(releases); });
}

void session_machine::on_reply(instant now, request_id id, const reply& answer) {
    const input frame(*this, now);
    // A refused identity ends the connection before anything is answered on it.
    if (!std::exchange(answered_, true)) {
        connector_.on_answered();
        context_.events.on_connect_result(failure::none);
    }
    context_.requests.on_reply(id, answer);
    if (context_.requests.wrote()) // a server whose disk hangs shakes hands as well
        unreachable_.stop();
}

void session_machine::on_watch(instant now, watch_event event, const std::string& node) {
    const input frame(*this, now);
    for (const auto id : context_.watches.take(node, event))
        if (const auto who = context_.find(id))
            who->where.on_watch(*who, node, event);
        else if (single_nodes_.knows(id))
            single_nodes_.on_watch(id, event);
        else
            inquiries_.on_watch(id);
}

void session_machine::on_time(instant now) {
    const input frame(*this, now);
    while (const auto due = context_.clock.pop(context_.now()))
        (*due)();
}

std::optional<instant> session_machine::next_timer() const { return context_.clock.next(); }

std::size_t session_machine::sharers_of(const std::string& path, const std::string& node) const {
    const auto name = ticket_name::parse(node);
    const auto where = queues_.find(path);
    if (!name || !where)
        return 0;
    const auto found = where->standing().find(name->sequence);
    if (found == where->standing().end() || found->second->name != *name)
        return 0;
    return std::max<std::size_t>(found->second->sharers.size(), 1);
}

std::optional<std::string> session_machine::subject_of_beat() {
    // Held ones in turn; else any ticket, or a path where one may be or is leaving.
    if (!context_.held.empty()) {
        auto next = context_.held.upper_bound(last_checked_);
        if (next == context_.held.end())
            next = context_.held.begin();
        last_checked_ = *next;
        const auto who = context_.find(*next);
        return who ? who->where.path_of(*who) : single_nodes_.node_of(*next);
    }
    for (const auto& [id, who] : context_.tickets)
        if (who->has_node())
            return who->where.path_of(*who);
    const auto busy = queues_.busy_path();
    return busy ? busy : single_nodes_.busy_path();
}

void session_machine::on_missing(const std::string& node) {
    for (const auto& [id, who] : context_.tickets)
        if (who->has_node() && !who->is_downgrading() && who->where.path_of(*who) == node)
            return who->where.on_deleted_outside(*who);
    single_nodes_.on_missing(node);
}

} // namespace turnstile::protocol
