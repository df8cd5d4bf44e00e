#include "protocol/session/session_machine.hpp"

#include "protocol/session/session_machine_input.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

session_machine::session_machine(settings options, random_source random, port& the_port,
                                 listener& events)
    : context_(std::move(options), std::move(random), the_port, events),
      rules_(context_.options),
      connector_(
          context_, [this](failure why) { give_up(why); }, [this] { return !waiting_.none(); }),
      heartbeat_(
          context_, [this] { return subject_of_beat(); },
          [this](const std::string& node) { on_missing(node); }),
      queues_(context_),
      single_nodes_(context_),
      semaphores_(context_, queues_),
      rewatches_(context_),
      inquiries_(context_),
      lookups_(context_, [this](const acquire_request& what,
                                const lock_directory& by) { path_found(what, by); }),
      waiting_(context_, single_nodes_, semaphores_, inquiries_, lookups_),
      unreachable_(context_, waiting_),
      lease_watch_(context_, [this](ticket_id id) { lose(id); }),
      missed_events_(context_),
      close_limit_(context_.clock) {}

session_machine::~session_machine() { context_.requests.abandon(); }

void session_machine::begin_input(instant now) {
    context_.requests.set_now(std::max(now, context_.now()));
    lease_watch_.check(); // before anything else is told, also after a pause of the process
}

void session_machine::end_input() {
    context_.requests.answer_refused();
    lookups_.forget_over();
    if (context_.bytes_freed)
        queues_.admit();
    if (!context_.enqueues.nobody_waits())
        lock_queue::place_next(context_);
    context_.tell_deadline();
    heartbeat_.check_lease();
    lease_watch_.arm();
    if (is_closing())
        finish_close();
}

void session_machine::lose(ticket_id id) {
    if (const auto who = context_.find(id))
        who->where.lose(*who);
    else if (single_nodes_.knows(id))
        single_nodes_.lose(id);
    else
        semaphores_.lose(id);
}

void session_machine::on_connected(instant now, const credentials& session, duration timeout) {
    take_input(now, [&] {
        answered_ = false;
        context_.dropping = false;
        if (!connector_.is_trying())
            return context_.drop_connection(); // answered after the attempts had ended
        const bool renewed = session.session_id != context_.session_id;
        if (rules_.ends_session(context_.session_id, session.session_id))
            end_session(failure::none);
        if (renewed) {
            context_.lease.reset();
            warn_of_short(timeout);
        }
        context_.session_id = session.session_id;
        context_.lease.connected(connector_.attempt_began(), context_.now(), timeout);
        context_.requests.connected(true);
        connector_.on_connected(session, timeout);
        // First of all a write, if there is anything that a lagging server could show wrongly: what
        // is asked after it on this connection is answered with its effect.
        heartbeat_.on_connected();
        queues_.for_each([](lock_queue& where) { where.on_connected(); });
        single_nodes_.for_each([](single_node& where) { where.on_connected(); });
        semaphores_.for_each([](semaphore& where) { where.on_connected(); });
        rewatch_queue::entries rewatches;
        queues_.for_each(
            [&rewatches](const lock_queue& where) { where.collect_rewatches(rewatches); });
        rewatches_.start(std::move(rewatches));
        inquiries_.on_connected();
        lookups_.on_connected();
    });
}

void session_machine::warn_of_short(duration timeout) const {
    if (timeout < 2 * context_.options.tick)
        context_.events.on_note(
            note_level::warning,
            "the session timeout granted is below two ticks of the servers: a "
            "lock may be lost late; ask for more, or set session_options::tick");
}

void session_machine::on_disconnected(instant now, disconnect_reason why) {
    take_input(now, [&] {
        const bool by_server =
            !std::exchange(context_.dropping, false) && why == disconnect_reason::lost;
        if (by_server && context_.requests.on_cut())
            context_.events.on_note(
                note_level::warning,
                "the servers have cut three connections during a request of " +
                    std::to_string(context_.requests.sizes().least_refused()) +
                    " bytes or more: it is taken to exceed their jute.maxbuffer, and requests of "
                    "that size fail for a minute");
        rewatches_.clear();
        context_.enqueues.clear(); // on the next connection all are placed that are not
        if (rules_.watches_end_with_connection())
            context_.watches.clear();
        heartbeat_.on_disconnected();
        const bool no_clear_answer = context_.requests.gets_no_clear_answer();
        if (no_clear_answer) // before they hear of a lost answer, and ask anew
            inquiries_.fail_all(failure::unreachable);
        context_.requests.fail_all();
        context_.lease.disconnected();
        queues_.for_each([](lock_queue& where) { where.on_disconnected(); });
        single_nodes_.for_each([](single_node& where) { where.on_disconnected(); });
        semaphores_.for_each([](semaphore& where) { where.on_disconnected(); });
        inquiries_.on_disconnected();
        lookups_.on_disconnected();
        if (closing_ >= closing_step::sent) {
            if (why == disconnect_reason::closed)
                end_locks(failure::none);
            return;
        }
        const auto meaning = connector_.meaning_of(why);
        if (meaning == disconnect_reason::expired) // a server that does not tell may keep tickets
            end_session(why == meaning ? failure::none : failure::unreachable);
        connector_.on_disconnected(meaning);
        if (no_clear_answer)
            end_waits();
        unreachable_.watch();
    });
}

void session_machine::end_session(failure releases) {
    context_.events.on_note(note_level::warning, "the session expired");
    context_.session_id = 0;
    context_.lease.reset();
    end_locks(releases);
}

void session_machine::end_locks(failure releases) {
    queues_.for_each([&](lock_queue& where) { where.on_expired(releases); });
    single_nodes_.for_each([&](single_node& where) { where.on_expired(releases); });
    semaphores_.for_each([&](semaphore& where) { where.on_expired(releases); });
}

void session_machine::on_reply(instant now, request_id id, const reply& answer) {
    take_input(now, [&] {
        // A refused identity ends the connection before anything is answered on it.
        if (!std::exchange(answered_, true)) {
            connector_.on_first_answer();
            context_.events.on_connect_result(failure::none);
        }
        connector_.on_answer();
        if (!context_.requests.on_reply(id, answer))
            context_.drop_connection(); // what became of it is found out on the next one
        if (context_.requests.has_gone_back())
            context_.events.on_note(note_level::error,
                                    "the servers were made anew or restored: fencing tokens are "
                                    "below those of before, and a store may refuse them");
        if (context_.requests.wrote()) // a server whose disk hangs shakes hands as well
            unreachable_.stop();
    });
}

void session_machine::on_watch(instant now, watch_event event, const std::string& node) {
    take_input(now, [&] {
        for (const auto id : context_.watches.take(node, event))
            if (const auto who = context_.find(id))
                who->where.on_watch(*who, node, event);
            else if (single_nodes_.knows(id))
                single_nodes_.on_watch(id, event);
            else if (!semaphores_.on_watch(id, node, event))
                inquiries_.on_watch(id);
    });
}

void session_machine::on_time(instant now) {
    take_input(now, [&] {
        while (const auto due = context_.clock.pop(context_.now()))
            (*due)();
    });
}

std::optional<instant> session_machine::next_timer() const { return context_.clock.next(); }

std::size_t session_machine::sharers_of(const std::string& path, const std::string& node) const {
    const auto slash = node.find('/');
    if (slash != std::string::npos) { // of a semaphore: a lease, or a ticket in its line
        const auto handles = semaphores_.sharers_of(path, path + '/' + node);
        if (handles > 0)
            return handles;
        const auto line = path + '/' + node.substr(0, slash);
        return sharers_of(line, node.substr(slash + 1));
    }
    const auto name = ticket_name::parse(node);
    const auto where = queues_.find(path);
    if (!name || !where)
        return 0;
    const auto found = where->standing().find(name->sequence);
    if (found == where->standing().end() || (*found)->name != *name)
        return 0;
    return std::max<std::size_t>((*found)->sharer_count(), 1);
}

std::vector<std::string> session_machine::subject_of_beat() {
    read_watched_again();
    auto nodes = held_nodes_to_check();
    missed_events_.add_checks(nodes);
    return nodes.empty() ? any_node_to_check() : nodes;
}

// A lost event of these would be waited for as well.
void session_machine::read_watched_again() {
    const auto due = read_again_ + lease_plan::read_again(context_.lease.timeout());
    if (context_.now() < due || !context_.rules.reads_watched_again())
        return;
    read_again_ = context_.now();
    single_nodes_.for_each([](single_node& where) { where.read_again(); });
    semaphores_.for_each([](semaphore& where) { where.read_again(); });
}

// One lock at a time, in turn.
std::vector<std::string> session_machine::held_nodes_to_check() {
    if (context_.held.empty())
        return {};
    auto next = context_.held.upper_bound(last_checked_);
    if (next == context_.held.end())
        next = context_.held.begin();
    last_checked_ = *next;
    if (const auto who = context_.find(*next))
        return {who->where.path_of(*who)};
    if (semaphores_.knows(*next))
        return semaphores_.nodes_of(*next);
    return {single_nodes_.node_of(*next)};
}

// A ticket, or a path where one may be or is leaving.
std::vector<std::string> session_machine::any_node_to_check() const {
    for (const auto& [id, who] : context_.tickets)
        if (who->has_node())
            return {who->where.path_of(*who)};
    if (const auto busy = queues_.busy_path())
        return {*busy};
    if (const auto busy = single_nodes_.busy_path())
        return {*busy};
    if (const auto busy = semaphores_.busy_path())
        return {*busy};
    return {};
}

void session_machine::on_missing(const std::string& node) {
    for (const auto& [id, who] : context_.tickets)
        if (who->has_node() && !who->is_changing() && who->where.path_of(*who) == node)
            return who->where.on_deleted_outside(*who);
    single_nodes_.on_missing(node);
    semaphores_.on_missing(node);
    missed_events_.on_missing(node);
}

} // namespace turnstile::protocol
