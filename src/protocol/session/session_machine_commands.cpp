// What a session machine is asked to do. What it hears is in session_machine.cpp, how it ends in
// session_machine_end.cpp.
#include "protocol/session/session_machine_input.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

// Longer than time lasts is no limit, and less than nothing is over at once.
std::optional<instant> end_of(instant now, const std::optional<duration>& limit) {
    if (!limit || *limit >= instant::max() - now)
        return std::nullopt;
    return now + std::max(*limit, duration::zero());
}

} // namespace

void session_machine::connect(instant now) {
    take_input(now, [&] {
        if (is_closing() || phase() == session_phase::closed)
            return context_.events.on_connect_result(failure::session_closed);
        if (phase() != session_phase::connected)
            return connector_.start(true);
        if (answered_)
            context_.events.on_connect_result(failure::none);
    });
}

void session_machine::cancel_connect(instant now) {
    take_input(now, [&] { connector_.end_limit(); });
}

void session_machine::acquire(instant now, ticket_id id, const acquire_request& what) {
    take_input(now, [&] { acquire_one(id, what); });
}

void session_machine::acquire_one(ticket_id id, const acquire_request& what) {
    if (is_closing() || phase() == session_phase::closed)
        return context_.events.on_acquire_failed(id, failure::session_closed, zookeeper_code::ok);
    const auto known = known_line(what);
    if (const auto why = known ? failure::none : misplaced(what); why != failure::none)
        return context_.events.on_acquire_failed(id, why, zookeeper_code::ok);
    if (what.single_node)
        return acquire_node(id, what);
    if (what.leases > 0)
        return acquire_leases(id, what);
    auto& where = known ? *known : queues_.at(what.path, lock_queue::purpose::lock, what.naming);
    if (where.naming() != what.naming)
        return context_.events.on_acquire_failed(id, failure::wrong_kind, zookeeper_code::ok);
    where.path_believed(what.incarnation);
    const auto end = end_of(context_.now(), what.limit);
    if (const auto who = what.kind == ticket_kind::shared
                             ? where.to_share(what.patient, what.incarnation, what.later_part)
                             : nullptr)
        return join(*who, id, end);
    if (what.patient && context_.heeds_own_waits() && where.holds_against(what.kind) &&
        refuses_wait_for_own(id, what.path))
        return;
    where.enter(ticket_of(id, where, what));
    await_connection();
}

std::unique_ptr<ticket> session_machine::ticket_of(ticket_id id, lock_queue& where,
                                                   const acquire_request& what) {
    auto newcomer = std::make_unique<ticket>(id, where, context_.clock);
    newcomer->kind = what.kind;
    newcomer->patient = what.patient;
    newcomer->wanted = what.incarnation;
    newcomer->later_part = what.later_part;
    newcomer->request = {context_.random(), id};
    newcomer->started = context_.now();
    if (const auto end = end_of(context_.now(), what.limit))
        newcomer->deadline.set(*end, [this, id] { end_wait(id); });
    return newcomer;
}

// Null where the path has to be looked at more closely. Most sessions have nothing but lines. Then
// a path with a line is the path of no other lock.
lock_queue* session_machine::known_line(const acquire_request& what) {
    const bool only_lines = single_nodes_.size() == 0 && semaphores_.size() == 0;
    return only_lines && !what.single_node && what.leases == 0 ? queues_.find(what.path) : nullptr;
}

failure session_machine::misplaced(const acquire_request& what) const {
    const auto& path = what.path;
    // A semaphore that rests says nothing: whoever finds its nodes is told by them.
    if (what.leases > 0) {
        if (what.stated_limit && *what.stated_limit == 0)
            return failure::too_many;
        const auto queue = queues_.find(path);
        if (single_nodes_.contains(path) || (queue && queue->size() > 0))
            return failure::wrong_kind;
        return nested_or_none(queues_.is_nested(path) || single_nodes_.is_nested(path) ||
                              semaphores_.is_nested(path));
    }
    if (semaphores_.is_used(path))
        return failure::wrong_kind;
    if (semaphores_.size() > 0 && rules_.refuses_nested(semaphores_.is_nested(path)))
        return failure::nested_path;
    if (what.single_node ? queues_.find(path) != nullptr : single_nodes_.contains(path))
        return failure::wrong_kind;
    if (what.single_node && single_nodes_.contains(path))
        return failure::none;
    if (single_nodes_.size() > 0 && !queues_.find(path) &&
        rules_.refuses_nested(single_nodes_.is_nested(path)))
        return failure::nested_path;
    return nested_or_none(queues_.is_nested(path));
}

failure session_machine::nested_or_none(bool nested) const {
    return rules_.refuses_nested(nested) ? failure::nested_path : failure::none;
}

void session_machine::acquire_node(ticket_id id, const acquire_request& what) {
    if (what.patient && single_nodes_.is_held(what.path) && refuses_wait_for_own(id, what.path))
        return;
    auto newcomer = std::make_unique<single_node::acquire>(id, context_.clock);
    newcomer->patient = what.patient;
    newcomer->wanted = what.incarnation;
    newcomer->request = {context_.random(), id};
    newcomer->started = context_.now();
    single_nodes_.acquire(what.path, std::move(newcomer), end_of(context_.now(), what.limit));
    await_connection();
}

void session_machine::acquire_leases(ticket_id id, const acquire_request& what, bool only_looked) {
    auto newcomer = std::make_unique<semaphore::acquire>(id, context_.clock);
    newcomer->count = what.leases;
    newcomer->limit = what.stated_limit;
    newcomer->patient = what.patient;
    newcomer->wanted = what.incarnation;
    newcomer->only_looked = only_looked;
    newcomer->later_part = what.later_part;
    newcomer->request = {context_.random(), id};
    newcomer->started = context_.now();
    semaphores_.acquire(what.path, std::move(newcomer), end_of(context_.now(), what.limit));
    await_connection();
}

bool session_machine::refuses_wait_for_own(ticket_id id, const std::string& path) {
    if (!context_.refuses_own_wait(path))
        return false;
    context_.events.on_acquire_failed(id, failure::would_deadlock, zookeeper_code::ok);
    return true;
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
    take_input(now, [&] {
        const auto who = context_.ticket_of(id);
        if (single_nodes_.knows(id) || semaphores_.knows(id)) // they have no readers
            return context_.events.on_downgraded(id, failure::not_exclusive, zookeeper_code::ok);
        if (!who || who->phase < ticket_phase::held)
            return context_.events.on_downgraded(id, failure::lost_deadline, zookeeper_code::ok);
        who->where.downgrade(*who, id);
        connect_if_needed();
    });
}

void session_machine::upgrade(instant now, ticket_id id, ticket_id writer) {
    take_input(now, [&] {
        const auto who = context_.ticket_of(id);
        if (single_nodes_.knows(id) || semaphores_.knows(id))
            return context_.events.on_upgraded(id, failure::not_shared, zookeeper_code::ok, 0);
        if (!who || who->phase < ticket_phase::held)
            return context_.events.on_upgraded(id, failure::lost_deadline, zookeeper_code::ok, 0);
        who->where.upgrade(*who, id, writer, {context_.random(), writer});
    });
}

void session_machine::share(instant now, ticket_id holder, ticket_id further) {
    take_input(now, [&] {
        if (const auto who = context_.ticket_of(holder); who && who->phase >= ticket_phase::held)
            context_.callers.join(*who, further, context_.now(), std::nullopt, [] {});
        else if (single_nodes_.knows(holder))
            single_nodes_.share(holder, further);
        else
            semaphores_.share(holder, further);
    });
}

void session_machine::end_wait(ticket_id id) {
    const auto who = context_.ticket_of(id);
    if (who && !rules_.limit_ends_with_grant())
        context_.events.on_acquire_failed(id, context_.end_of_time(), zookeeper_code::ok);
    else if (who)
        who->where.cancel(*who, id, context_.end_of_time());
}

void session_machine::inquire(instant now, inquiry_id id, const request& what,
                              std::optional<instant> since, std::optional<instant> end) {
    take_input(now, [&] {
        if (is_closing() || phase() == session_phase::closed)
            return context_.events.on_inquiry_failed(id, failure::session_closed);
        inquiries_.begin(id, what, since.value_or(context_.now()), end);
        await_connection();
    });
}

void session_machine::look_up(instant now, inquiry_id id, const acquire_request& what,
                              std::optional<instant> since) {
    take_input(now, [&] {
        if (refuses_look_up(id, what))
            return;
        lookups_.begin(id, what, since.value_or(context_.now()),
                       end_of(context_.now(), what.limit));
        await_connection();
    });
}

void session_machine::look_up_semaphore(instant now, inquiry_id id, const acquire_request& what) {
    take_input(now, [&] {
        if (!refuses_look_up(id, what))
            acquire_leases(id, what, true);
    });
}

bool session_machine::refuses_look_up(inquiry_id id, const acquire_request& what) {
    auto why = misplaced(what);
    if (is_closing() || phase() == session_phase::closed)
        why = failure::session_closed;
    if (why != failure::none)
        context_.events.on_looked_up(id, why, zookeeper_code::ok, {});
    return why != failure::none;
}

void session_machine::path_found(const acquire_request& what, const lock_directory& by) {
    // What this session made, its line deletes. A line that a look-up made of its own accord would
    // keep a lock of one node from the path, and a semaphore keeps its path.
    if (!what.single_node && what.leases == 0 && misplaced(what) == failure::none && !is_closing())
        queues_.at(what.path, lock_queue::purpose::lock, what.naming).path_found(by);
}

void session_machine::cancel(instant now, watcher_id id) {
    take_input(now, [&] { waiting_.cancel({id}, failure::cancelled); });
}

void session_machine::release(instant now, ticket_id id) {
    take_input(now, [&] {
        const auto who = context_.ticket_of(id);
        if (who && who->phase >= ticket_phase::held)
            who->where.release(*who, id);
        else if (!single_nodes_.release(id) && !semaphores_.release(id))
            return context_.events.on_released(id, failure::lost_deadline, zookeeper_code::ok);
        connect_if_needed();
    });
}

void session_machine::connect_if_needed() {
    if (!context_.requests.connected())
        connector_.start(false);
}

void session_machine::await_connection() {
    connect_if_needed();
    if (!context_.requests.connected())
        unreachable_.watch();
}

} // namespace turnstile::protocol
