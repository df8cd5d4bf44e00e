// SPDX-License-Identifier: BSL-1.0
#include "protocol/session/session_machine.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

// The instant at which this limit ends. A limit that is too long for the clock counts as none, and
// a negative one ends at once.
std::optional<instant> end_of(instant now, const std::optional<duration>& limit) {
    if (!limit || *limit >= instant::max() - now)
        return std::nullopt;
    return now + std::max(*limit, duration::zero());
}

} // namespace

session_machine::session_machine(settings options, random_source random, port& the_port,
                                 listener& events, lock_listener& lock_events)
    : context_(std::move(options), std::move(random), the_port, events, lock_events),
      connector_(
          context_, [this](failure why) { give_up(why); }, [this] { return !is_unused(); }),
      heartbeat_(
          context_, [this](heartbeat::strength how) { return prepare_beat(how); }, kinds_),
      kinds_(context_),
      inquiries_(context_, [this](inquiry_id id, const std::string& path,
                                  instant since) { look_up_semaphore(id, path, since); }),
      lookups_(
          context_,
          [this](const acquire_request& what, const lock_directory& by) {
              on_path_found(what, by);
          },
          [this](inquiry_id id, failure why, zookeeper_code code, const lock_key& key) {
              if (!inquiries_.on_path(id, why, code))
                  context_.lock_events.on_looked_up(id, why, code, key);
          }),
      guarded_(context_, kinds_),
      lease_watch_(context_, kinds_),
      overdue_(context_.clock),
      close_limit_(context_.clock),
      release_limit_(context_.clock) {}

void session_machine::look_up_semaphore(inquiry_id id, const std::string& path, instant since) {
    const acquire_request what{.path = path, .permits = 1};
    if (const auto why = refusal(what); why != failure::none)
        inquiries_.on_path(id, why, zookeeper_code::ok);
    else
        lookups_.begin(id, what, since, {});
}

session_machine::~session_machine() { context_.requests.abandon(); }

// The order matters. Losses are reported before anything else, also after a pause of the process.
// The requests and timers that follow from the input come last.
template <class Work>
void session_machine::take_input(instant now, Work work) {
    context_.requests.set_now(std::max(now, context_.now()));
    context_.limits.run_due(context_.now());
    lease_watch_.check();
    work();
    guarded_.end_input();
    context_.requests.answer_refused();
    lookups_.forget_over();
    for (const auto kind : kinds_)
        kind->end_input();
    context_.requests.unwatch(context_.options.unwanted_watches);
    context_.tell_deadline();
    heartbeat_.check_lease();
    lease_watch_.arm();
    if (is_closing())
        finish_close();
}

void session_machine::on_connected(instant now, const credentials& session, duration timeout) {
    take_input(now, [&] {
        answered_ = false;
        context_.dropping = false;
        if (!connector_.is_trying())
            return context_.drop_connection(); // answered after the attempts had ended
        const bool renewed = session.session_id != context_.session_id;
        if (context_.session_id != 0 && renewed)
            expire_session(failure::none);
        if (renewed) {
            context_.lease.reset();
            if (context_.options.tick && timeout < 2 * *context_.options.tick)
                context_.events.on_note(
                    log_level::warning,
                    "the session timeout granted is below two ticks of the servers: a lock may be "
                    "lost late; ask for more, or correct session_options::tick");
        }
        context_.session_id = session.session_id;
        context_.lease.connected(connector_.attempt_began(), context_.now(), timeout);
        context_.requests.set_connected(true);
        connector_.on_connected(session, timeout);
        // The first request is a write, if there is anything that a lagging server could show
        // wrongly. The answer to each later request on this connection is then newer than it.
        heartbeat_.on_connected();
        for (const auto kind : kinds_)
            kind->on_connected();
        for (const auto kind : kinds_)
            kind->search_again();
        inquiries_.on_connected();
        lookups_.on_connected();
    });
}

void session_machine::on_disconnected(instant now, disconnect_reason why) {
    take_input(now, [&] {
        const bool by_server =
            !std::exchange(context_.dropping, false) && why == disconnect_reason::lost;
        if (by_server && context_.requests.on_cut())
            context_.events.on_note(
                log_level::warning,
                "the servers have cut three connections during a request of " +
                    std::to_string(context_.requests.sizes().least_refused()) +
                    " bytes or more: it is taken to exceed their jute.maxbuffer, and requests of "
                    "that size fail for a minute");
        context_.watches.clear();
        heartbeat_.on_disconnected();
        const bool no_clear_answer = context_.requests.gets_no_clear_answer();
        if (no_clear_answer) // before the questions get a lost answer, and ask anew
            inquiries_.fail_all(failure::unreachable);
        context_.requests.fail_all();
        context_.lease.disconnected();
        for (const auto kind : kinds_)
            kind->on_disconnected();
        inquiries_.on_disconnected();
        lookups_.on_disconnected();
        if (closing_ >= closing_step::sent) {
            if (why == disconnect_reason::closed)
                expire_locks(failure::none);
            return;
        }
        const auto meaning = connector_.meaning_of(why);
        // If no server has said that the session expired, its old tickets may still stand.
        const bool server_said_so = why == meaning;
        if (meaning == disconnect_reason::expired)
            expire_session(server_said_so ? failure::none : failure::unreachable);
        connector_.on_disconnected(meaning);
        if (no_clear_answer)
            give_up_without_clear_answers();
        limit_waits();
    });
}

void session_machine::expire_session(failure releases) {
    context_.events.on_note(log_level::warning, "the session expired");
    context_.session_id = 0;
    context_.lease.reset();
    expire_locks(releases);
}

void session_machine::expire_locks(failure releases) {
    for (const auto kind : kinds_)
        kind->on_expired(releases);
}

void session_machine::on_reply(instant now, request_id id, const reply& answer) {
    take_input(now, [&] {
        // Only an answer shows that the server accepts the session's identities: if it refuses one,
        // it ends the connection before it answers anything.
        if (!std::exchange(answered_, true)) {
            connector_.end_limit();
            context_.events.on_connect_result(failure::none);
        }
        connector_.on_answer();
        if (!context_.requests.on_reply(id, answer))
            context_.drop_connection(); // the next connection finds out what became of the request
        if (context_.requests.take_numbers_went_back())
            context_.events.on_note(log_level::error,
                                    "the servers were made anew or restored: fencing tokens are "
                                    "below those of before, and a store may refuse them");
        // The limit of the waits ends only with the answer to a write: a server whose disk hangs
        // answers a handshake, too.
        if (context_.requests.wrote())
            overdue_.cancel();
    });
}

void session_machine::on_watch(instant now, watch_event event, const std::string& node) {
    take_input(now, [&] {
        for (const auto id : context_.watches.take(node, event))
            if (std::ranges::none_of(kinds_,
                                     [&](auto kind) { return kind->on_watch(id, event, node); }))
                inquiries_.on_watch(id, event, node);
    });
}

void session_machine::on_time(instant now) {
    take_input(now, [&] { context_.clock.run_due(context_.now()); });
}

std::optional<instant> session_machine::next_timer() const {
    const auto own = context_.clock.next();
    const auto limit = context_.limits.next();
    if (own && limit)
        return std::min(own, limit);
    return own ? own : limit;
}

// Nodes that are watched without a ticket are read again once in a while: an event may have been
// lost.
void session_machine::read_watched_again() {
    if (context_.now() < read_again_ + lease_plan::read_again(context_.lease.timeout()))
        return;
    read_again_ = context_.now();
    for (const auto kind : kinds_)
        kind->read_again();
    inquiries_.read_again();
}

// Chooses the subject of a beat, and sends the reads that go beside the beat. The subject is the
// first of these that there is:
// 1. the lock path of a waiting ticket, if all tickets are far from the front;
// 2. the nodes of one held lock, and of waiting tickets with their predecessors;
// 3. any node of this session;
// 4. for a barrier: the path of a question.
heartbeat::subject session_machine::prepare_beat(heartbeat::strength how) {
    read_watched_again();
    if (how == heartbeat::strength::usual)
        for (const auto kind : kinds_)
            kind->retry_denied();
    const bool far = how == heartbeat::strength::usual && kinds_.all_are_far();
    auto nodes = held_nodes_to_check(); // none if all tickets are far from the front
    kinds_.queues().add_checks(nodes, far);
    if (far)
        return {.place = kinds_.queues().next_waiting_path()};
    if (how == heartbeat::strength::usual)
        ask_place();
    for (auto kind = kinds_.begin(); nodes.empty() && kind != kinds_.end(); ++kind)
        if (auto busy = (*kind)->busy_node())
            nodes.push_back(*std::move(busy));
    if (nodes.empty() && how == heartbeat::strength::barrier && inquiries_.may_go_back())
        nodes.push_back(inquiries_.some_path());
    return {.nodes = std::move(nodes)};
}

// A beat near the front reads no lock path, so it shows no ticket's place. If an observer wants
// places, a read of its own asks for one.
void session_machine::ask_place() {
    if (!context_.options.tells_places)
        return;
    if (const auto path = kinds_.queues().next_waiting_path(); !path.empty())
        context_.requests.send(
            {.op = operation::exists, .path = path},
            [this, path](const reply& answer) { kinds_.queues().on_path_counted(path, answer); });
}

std::vector<std::string> session_machine::held_nodes_to_check() {
    if (context_.held.empty())
        return {};
    auto next = context_.held.upper_bound(last_checked_);
    if (next == context_.held.end())
        next = context_.held.begin();
    last_checked_ = *next;
    return kinds_.nodes_of(*next);
}

void session_machine::connect(instant now) {
    take_input(now, [&] {
        if (is_closing() || phase() == session_state::closed)
            return context_.events.on_connect_result(failure::session_closed);
        if (phase() == session_state::connected && answered_)
            context_.events.on_connect_result(failure::none);
        else
            connector_.start(true);
    });
}

void session_machine::cancel_connect(instant now) {
    take_input(now, [&] { connector_.end_limit(); });
}

void session_machine::set_servers(instant now, std::size_t count, std::size_t first, bool stays) {
    take_input(now, [&] { connector_.set_servers(count, first, stays); });
}

void session_machine::acquire(instant now, ticket_id id, const acquire_request& what) {
    take_input(now, [&] { acquire_one(id, what); });
}

void session_machine::acquire_one(ticket_id id, const acquire_request& what) {
    if (const auto why = refusal(what); why != failure::none)
        return context_.lock_events.on_acquire_failed(id, why, zookeeper_code::ok);
    kinds_.of(what).acquire(id, what, end_of(context_.now(), what.limit));
    if (!is_unused())
        connect_and_limit_waits();
}

void session_machine::acquire(instant now, const std::vector<one_of_several>& together) {
    take_input(now, [&] {
        auto batch = kinds_.make_batch();
        auto next = together.begin();
        const auto joins = [&](const one_of_several& one) {
            return refusal(one.what) == failure::none &&
                   batch.join(one.id, one.what, end_of(context_.now(), one.what.limit));
        };
        while (next != together.end() && joins(*next))
            ++next;
        if (batch.empty() && next != together.end()) {
            acquire_one(next->id, next->what); // alone: it may have to wait
            ++next;
        }
        for (; next != together.end(); ++next)
            context_.lock_events.on_acquire_failed(next->id, failure::taken_back,
                                                   zookeeper_code::ok);
        if (!batch.empty())
            batch.send();
    });
}

failure session_machine::refusal(const acquire_request& what) const {
    const bool over = is_closing() || phase() == session_state::closed;
    return over ? failure::session_closed : kinds_.misplaced(what);
}

void session_machine::downgrade(instant now, ticket_id id) {
    take_input(now, [&] {
        const auto kind = kinds_.find(id);
        const auto why = kind ? kind->downgrade(id) : failure::lease_lost;
        if (why != failure::none)
            return context_.lock_events.on_downgraded(id, why, zookeeper_code::ok);
        connect_if_needed();
    });
}

void session_machine::upgrade(instant now, ticket_id id, ticket_id writer) {
    take_input(now, [&] {
        const auto kind = kinds_.find(id);
        const auto why = kind ? kind->upgrade(id, writer) : failure::lease_lost;
        if (why != failure::none)
            context_.lock_events.on_upgraded(id, why, zookeeper_code::ok, 0);
    });
}

void session_machine::share(instant now, ticket_id holder, ticket_id further) {
    take_input(now, [&] {
        for (const auto kind : kinds_)
            if (kind->share(holder, further))
                return;
    });
}

void session_machine::inquire(instant now, inquiry_id id,
                              const std::shared_ptr<path_question>& what,
                              std::optional<instant> end) {
    take_input(now, [&] {
        if (is_closing() || phase() == session_state::closed) {
            what->end(failure::session_closed);
            return context_.events.on_answer(id, *what);
        }
        inquiries_.begin(id, what, end);
        connect_and_limit_waits();
    });
}

yield_request session_machine::request_to_yield(inquiry_id id, const std::string& path,
                                                std::string reason, ticket_id acquire) {
    yield_request::own_ticket is_own;
    if (acquire != 0)
        is_own = [this, end = '-' + std::to_string(acquire)](const auto&, const reply& ticket) {
            return ticket.stat.ephemeral_owner == session().session_id &&
                   request_of(ticket.data).ends_with(end);
        };
    return {
        path, std::move(reason), context_.options.who, {context_.random(), id}, std::move(is_own)};
}

yield_wait session_machine::wait_for_request(const std::string& path, ticket_id held,
                                             std::int64_t czxid) const {
    const auto ticket = [this, held, parent = path.size() + 1] {
        const auto nodes = kinds_.nodes_of(held);
        return nodes.empty() ? std::string() : nodes.front().substr(parent);
    };
    return {path, ticket, czxid};
}

void session_machine::write(instant now, inquiry_id id, const guarded_write& what) {
    take_input(now, [&] {
        if (is_closing() || phase() == session_state::closed)
            return context_.events.on_written(id, what, failure::session_closed, {});
        guarded_.begin(id, what);
        connect_and_limit_waits();
    });
}

void session_machine::look_up(instant now, inquiry_id id, const acquire_request& what) {
    take_input(now, [&] {
        if (const auto why = refusal(what); why != failure::none)
            return context_.lock_events.on_looked_up(id, why, zookeeper_code::ok, {});
        const auto end = end_of(context_.now(), what.limit);
        if (!kinds_.of(what).look_up(id, what, end))
            lookups_.begin(id, what, context_.now(), end);
        if (!is_unused())
            connect_and_limit_waits();
    });
}

void session_machine::on_path_found(const acquire_request& what, const lock_directory& by) {
    if (refusal(what) == failure::none)
        kinds_.of(what).on_path_found(what, by);
}

void session_machine::cancel(instant now, watcher_id id) {
    take_input(now, [&] { end_wait(id, failure::cancelled); });
}

void session_machine::release(instant now, ticket_id id) {
    take_input(now, [&] {
        if (std::ranges::none_of(kinds_, [&](auto kind) { return kind->release(id); }))
            return context_.lock_events.on_released(id, failure::lease_lost, zookeeper_code::ok);
        connect_if_needed();
        if (!release_limit_.pending())
            limit_releases();
    });
}

void session_machine::limit_releases() {
    release_limit_.set(context_.now() + context_.lease.left(context_.now()), [this] {
        if (context_.lease.left(context_.now()) > duration::zero())
            return limit_releases();
        for (const auto kind : kinds_)
            kind->stop_waiting_for_releases();
    });
}

void session_machine::connect_if_needed() {
    if (!context_.requests.connected())
        connector_.start(false);
}

void session_machine::connect_and_limit_waits() {
    connect_if_needed();
    limit_waits();
}

template <class Action>
void session_machine::for_each_waiting(Action action) const {
    for (const auto kind : kinds_)
        kind->for_each_waiting(action);
    inquiries_.for_each_waiting(action);
    lookups_.for_each_waiting(action);
    guarded_.for_each_waiting(action);
}

void session_machine::end_wait(watcher_id which, failure why) {
    if (guarded_.cancel(which, why))
        return;
    if (lookups_.knows(which))
        lookups_.cancel(which, why);
    else if (std::ranges::none_of(kinds_, [&](auto kind) { return kind->cancel(which, why); }))
        inquiries_.cancel(which, why);
}

void session_machine::limit_waits() {
    if (!context_.requests.connected() && !is_unused() && !overdue_.pending())
        overdue_.set(context_.now() + context_.options.unreachable_limit,
                     [this] { fail_overdue(); });
}

// They fail in the order of their arrival, which is the same in each replay of a run.
void session_machine::fail_overdue() {
    std::vector<watcher_id> overdue;
    std::optional<instant> next;
    for_each_waiting([&](watcher_id id, instant since) {
        const auto due = since + context_.options.unreachable_limit;
        if (due <= context_.now())
            overdue.push_back(id);
        else
            next = next ? std::min(*next, due) : due;
    });
    if (next)
        overdue_.set(*next, [this] { fail_overdue(); });
    std::ranges::sort(overdue);
    for (const auto id : overdue)
        end_wait(id, failure::unreachable);
}

void session_machine::give_up(failure why) {
    context_.events.on_connect_result(why);
    fail_waiting(why);
}

void session_machine::give_up_without_clear_answers() {
    if (!context_.held.empty()) // attempts go on, to prove the lease
        return fail_waiting(failure::unreachable);
    connector_.stop(session_state::idle);
    give_up(failure::unreachable);
}

void session_machine::fail_waiting(failure why) {
    std::vector<watcher_id> all;
    for_each_waiting([&](watcher_id id, instant) { all.push_back(id); });
    std::ranges::sort(all);
    for (const auto id : all)
        end_wait(id, why);
    for (const auto kind : kinds_)
        kind->stop_waiting_for_releases();
    inquiries_.fail_all(why);
    lookups_.fail_all(why);
    guarded_.fail_all(why);
}

void session_machine::abandon_all() {
    for (const auto kind : kinds_)
        kind->abandon_all();
    inquiries_.fail_all(failure::session_closed);
    lookups_.fail_all(failure::session_closed);
    guarded_.fail_all(failure::session_closed);
}

void session_machine::close(instant now, bool hasty) {
    take_input(now, [&] {
        if (is_closing())
            return;
        closing_ = closing_step::draining;
        abandon_all();
        if (phase() == session_state::connected)
            set_close_limit(hasty ? lease_plan::hasty_close : context_.options.connect_timeout);
        connector_.stop(phase() == session_state::connected ? session_state::closing
                                                            : session_state::closed);
    });
}

void session_machine::stop(instant now) {
    take_input(now, [&] {
        abandon_all();
        heartbeat_.on_disconnected();
        context_.requests.abandon();
        context_.requests.set_connected(false);
        enter_closed(failure::session_closed);
    });
}

void session_machine::set_close_limit(duration limit) {
    const auto due = context_.now() + limit;
    close_limit_.set(std::min(due, close_limit_.due().value_or(due)), [this] {
        context_.events.on_note(log_level::warning,
                                "no answer to close: the session is left to expire");
        closing_ = closing_step::sent;
        context_.drop_connection();
    });
}

void session_machine::finish_close() {
    if (phase() == session_state::closing && context_.requests.connected()) {
        // The close waits until no request is open: the C client could not tell its answer from
        // theirs.
        const bool awaits_requests = !context_.requests.idle();
        if (awaits_requests || closing_ == closing_step::sent)
            return;
        heartbeat_.on_disconnected();
        closing_ = closing_step::sent;
        set_close_limit(lease_plan::patience(context_.lease.timeout()));
        return context_.port.close_session();
    }
    if (context_.requests.connected())
        return;
    // Unless the server has ended the session, the outcome of an open release is unknown.
    enter_closed(failure::unreachable);
    context_.events.on_closed();
}

void session_machine::enter_closed(failure releases) {
    closing_ = closing_step::over;
    close_limit_.cancel();
    overdue_.cancel();
    release_limit_.cancel();
    expire_locks(releases);
    connector_.stop(session_state::closed);
}

} // namespace turnstile::protocol
