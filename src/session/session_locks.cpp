// SPDX-License-Identifier: BSL-1.0
#include "session/session_locks.hpp"

#include "protocol/yield/yield_request.hpp"
#include "session/session_impl.hpp"
#include "session/values/failure_codes.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace turnstile::detail {

namespace asio = boost::asio;

namespace {

// The record of a grant whose acquire has ended meanwhile. Its lock is released when it is dropped.
std::shared_ptr<lock_record> record_of_ended_acquire() {
    return std::make_shared<lock_record>(protocol::acquire_request{}, 0);
}

lock_event event_of(const ticket_lock& lock, lock_event::kind what, error_code reason = {}) {
    return {.what = what,
            .acquire = lock.acquire_id(),
            .fencing_token = lock.token(),
            .reason = reason};
}

// The time limit of an acquire counts from its call, so the time until now is taken off. For a
// semaphore, the limit that its object has set replaces the one that the object states. Called on
// the strand.
void apply_limits(protocol::acquire_request& what, const lock_record& record,
                  lease_clock::time_point began) {
    if (what.limit)
        what.limit =
            std::max(*what.limit - (lease_clock::now() - began), protocol::duration::zero());
    if (const auto set = record.limit_in_force(); set > 0 && what.stated_limit)
        what.stated_limit = set;
}

} // namespace

session_locks::session_locks(session_impl& session)
    : session_(session), held_([&session](diagnostics* diag) { session.explain(diag); }) {}

// ---- acquires ----

fault session_locks::refusal_of(const lock_object& object,
                                const protocol::acquire_request& what) const {
    if (object.bad.code)
        return object.bad;
    if (what.stated_limit && *what.stated_limit == 0)
        return {asio::error::invalid_argument,
                what.path + ": a limit of 0 is stated, and 1 is the least"};
    if (what.max_hold && what.max_hold->count() == 0)
        return {asio::error::invalid_argument, "at_most: a time above zero is needed"};
    auto too_large = check_permits(session_.options(), what.path, what.permits);
    return too_large.code ? too_large : session_.refusal_of_work();
}

void session_locks::acquire(const lock_object& object, protocol::acquire_request what,
                            handler<held_lock>&& done) {
    const auto bad = refusal_of(object, what);
    session_.begin(object.request.path, bad, std::move(done),
                   [this, what = std::move(what), record = object.record,
                    began = lease_clock::now()](auto id, auto pending) mutable {
                       apply_limits(what, *record, began);
                       session_.reports().count(*record, &lock_usage::acquires);
                       const auto group = record->group;
                       acquires_.add(
                           id,
                           {std::move(pending), std::move(record), began, what.max_hold, what.asks},
                           group);
                       session_.driver().drive(
                           [&](auto& machine, auto now) { machine.acquire(now, id, what); });
                   });
}

void session_locks::acquire(std::vector<one_of_several>&& together) {
    struct member {
        operation_id id;
        protocol::acquire_request what;
        pending_acquire pending;
    };
    std::vector<member> members;
    members.reserve(together.size());
    const auto began = lease_clock::now();
    for (auto& [record, what, done] : together)
        if (auto prepared =
                session_.prepare(what.path, session_.refusal_of_work(), std::move(done)))
            members.push_back({prepared->id,
                               what,
                               {std::move(prepared->pending), std::move(record), began,
                                what.max_hold, what.asks}});
    session_.enter([this, members = std::move(members), began]() mutable {
        std::vector<protocol::session_machine::one_of_several> requests;
        requests.reserve(members.size());
        for (auto& [id, what, pending] : members) {
            apply_limits(what, *pending.record, began);
            session_.reports().count(*pending.record, &lock_usage::acquires);
            const auto group = pending.record->group;
            acquires_.add(id, std::move(pending), group);
            requests.push_back({id, std::move(what)});
        }
        session_.driver().drive([&](auto& machine, auto now) { machine.acquire(now, requests); });
    });
}

void session_locks::look_up(const lock_object& object, protocol::acquire_request what,
                            handler<protocol::lock_key>&& done) {
    const auto bad = refusal_of(object, what);
    session_.begin(object.request.path, bad, std::move(done),
                   [this, what = std::move(what), record = object.record,
                    began = lease_clock::now()](auto id, auto pending) mutable {
                       apply_limits(what, *record, began);
                       lookups_.add(id, std::move(pending));
                       session_.driver().drive(
                           [&](auto& machine, auto now) { machine.look_up(now, id, what); });
                   });
}

void session_locks::on_queued(protocol::ticket_id ticket, std::int32_t ahead) {
    tell_place(lock_event::kind::queued, ticket, ahead);
    ask_those_before(ticket);
}

void session_locks::on_moved_up(protocol::ticket_id ticket, std::int32_t ahead) {
    tell_place(lock_event::kind::moved_up, ticket, ahead);
}

void session_locks::tell_place(lock_event::kind what, protocol::ticket_id ticket,
                               std::int32_t ahead) {
    if (const auto waiting = acquires_.find(ticket))
        session_.reports().tell_observer(waiting->record,
                                         lock_event{.what = what,
                                                    .acquire = ticket,
                                                    .ahead = static_cast<std::uint32_t>(ahead)});
}

// The machine calls on_queued() within an input, when the ticket of an acquire was enqueued behind
// others. So the question begins in a later turn of the strand. For a reader that joins another's
// ticket the machine does not call it: such a reader asks no holder (Y5).
void session_locks::ask_those_before(protocol::ticket_id ticket) {
    auto* const waiting = acquires_.find(ticket);
    if (!waiting || !waiting->yield_reason || waiting->yield_query)
        return;
    const auto id = session_.next_id();
    waiting->yield_query = id;
    session_.enter([this, ticket, id, record = waiting->record, reason = *waiting->yield_reason] {
        if (!acquires_.contains(ticket))
            return;
        const auto what = session_.driver().request_to_yield(id, record->path, reason, ticket);
        session_.queries().begin(
            id, {std::make_shared<protocol::yield_request>(what), record->path}, record->group);
    });
}

void session_locks::stop_asking(const pending_acquire& ending) {
    if (ending.yield_query)
        session_.enter([this, id = *ending.yield_query] { session_.queries().cancel(id); });
}

void session_locks::on_granted(protocol::ticket_id ticket, std::int64_t czxid) {
    const auto waiting = acquires_.find(ticket);
    const fencing_token token(static_cast<std::uint64_t>(czxid));
    const auto now = session_.driver().input_began();
    const auto lock = std::make_shared<ticket_lock>(
        session_.shared_from_this(), waiting ? waiting->record : record_of_ended_acquire(), ticket,
        token, now, waiting ? waiting->max_hold : std::nullopt);
    held_.add(lock);
    const auto& record = lock->record();
    session_.reports().count(*record, &lock_usage::granted);
    if (waiting) {
        session_.reports().count(*record, &lock_usage::wait, now - waiting->began);
        stop_asking(*waiting);
    }
    session_.reports().log(log_level::info,
                           [&] { return "granted " + record->path + ", token " + token.str(); });
    session_.reports().tell_observer(
        record,
        lock_event{.what = lock_event::kind::granted, .acquire = ticket, .fencing_token = token});
    acquires_.complete(ticket, {}, ticket_lock::own(lock));
}

void session_locks::on_refusal(protocol::watcher_id which, std::string_view cause) {
    const auto acquire = acquires_.find(which);
    const auto lookup = lookups_.find(which);
    if (auto* const diag = acquire ? acquire->diag() : lookup ? lookup->diag() : nullptr)
        diag->cause = cause;
}

void session_locks::on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                                      protocol::zookeeper_code code) {
    const auto reason = to_error_code(why, code);
    if (why == protocol::failure::no_chroot)
        session_.reports().log(log_level::warning, [&] {
            return chroot_of(session_.options().servers) + reason.message();
        });
    const bool others_hold = why == protocol::failure::would_block; // the empty lock says so
    if (const auto failing = acquires_.find(ticket)) {
        if (!others_hold)
            session_.explain(failing->diag(), why, code);
        session_.reports().count(*failing->record, counter_of(reason));
        stop_asking(*failing);
        session_.reports().tell_observer(
            failing->record,
            lock_event{.what = lock_event::kind::failed, .acquire = ticket, .reason = reason});
    }
    acquires_.complete(ticket, others_hold ? error_code() : reason, {});
}

void session_locks::on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                                 protocol::zookeeper_code code, const protocol::lock_key& key) {
    if (const auto failing = lookups_.find(lookup); failing && why != protocol::failure::none)
        session_.explain(failing->diag(), why, code);
    auto from_root = key;
    from_root.path.insert(0, protocol::server_list::parse(session_.options().servers)->chroot);
    lookups_.complete(lookup, to_error_code(why, code), from_root);
}

// ---- held locks ----

std::shared_ptr<ticket_lock> session_locks::share(const std::shared_ptr<ticket_lock>& lock,
                                                  const std::shared_ptr<ticket_lock>& first) {
    auto further = std::make_shared<ticket_lock>(first, session_.next_id());
    session_.enter([this, lock, further] {
        session_.driver().drive(
            [&](auto& machine, auto now) { machine.share(now, lock->id(), further->id()); });
        if (!held_.holds(lock->id()))
            return; // it is lost, and all its handles know
        held_.add(further);
        ++further->handles();
    });
    return further;
}

void session_locks::start(lock_operation what, const std::shared_ptr<ticket_lock>& lock,
                          handler<>&& done) {
    using enum lock_operation;
    session_.begin(
        lock->record()->path, session_.refusal_of_work(), std::move(done),
        [this, what, lock](auto id, auto pending) {
            if (!held_.await(what, *lock, id, std::move(pending)))
                return;
            if (what == release) {
                let_go(*lock);
                if (session_.state() == session_state::suspended)
                    log_awaited_releases();
            } else if (what == downgrade)
                session_.driver().drive(
                    [&](auto& machine, auto now) { machine.downgrade(now, lock->id()); });
            else if (what == upgrade)
                session_.driver().drive(
                    [&](auto& machine, auto now) { machine.upgrade(now, lock->id(), id); });
        },
        what == release || what == downgrade ? effect::sure : effect::none);
}

void session_locks::release(const std::shared_ptr<ticket_lock>& lock) noexcept {
    session_.enter([this, lock] { let_go(*lock); });
}

void session_locks::let_go(ticket_lock& lock) {
    session_.queries().end_group(lock.id(), error::released);
    const bool held = held_.on_release_begun(lock.id());
    session_.driver().drive([&](auto& machine, auto now) { machine.release(now, lock.id()); });
    if (!held || --lock.handles() > 0)
        return;
    auto& reports = session_.reports();
    reports.count(*lock.record(), &lock_usage::released);
    reports.count(*lock.record(), &lock_usage::hold,
                  session_.driver().input_began() - lock.granted_at());
    reports.tell_observer(lock.record(), event_of(lock, lock_event::kind::released));
}

void session_locks::on_lost(protocol::ticket_id ticket, protocol::failure why) {
    const auto lock = held_.find(ticket);
    if (lock && lock->loss() == protocol::failure::none) { // the first handle that is notified
        auto& reports = session_.reports();
        const auto now = session_.driver().input_began();
        const auto reason = to_error_code(why);
        const bool wanted = why == protocol::failure::session_closed; // its owner closed it
        reports.log([&] {
            return reports.lines().lost(wanted ? log_level::info : log_level::error,
                                        lock->record()->path, reason.message(), now);
        });
        reports.count(*lock->record(), wanted ? &lock_usage::closed : &lock_usage::lost);
        reports.count(*lock->record(), &lock_usage::hold, now - lock->granted_at());
        reports.tell_observer(lock->record(), event_of(*lock, lock_event::kind::lost, reason));
    }
    session_.queries().end_group(ticket, to_error_code(why));
    // After a loss by the deadline or the limit, no other holds the lock before the deadline. So
    // the deadline stays readable. After any other loss another may hold it.
    const bool keeps_deadline =
        why == protocol::failure::lease_lost || why == protocol::failure::held_too_long;
    held_.on_lost(ticket, why,
                  lock && keeps_deadline ? lock->deadline_in_force() : lease_clock::time_point{});
}

void session_locks::on_limit_near(protocol::ticket_id ticket) {
    if (const auto lock = held_.find(ticket))
        lock->note_limit_near();
    held_.end(lock_operation::risk_of_loss, ticket, {});
}

void session_locks::on_risk(bool at_risk) {
    const auto what = at_risk ? lock_event::kind::at_risk : lock_event::kind::out_of_danger;
    held_.for_each([&](ticket_lock& lock) {
        if (lock.note_risk(at_risk)) // the first handle of several
            session_.reports().tell_observer(lock.record(), event_of(lock, what));
    });
    held_.on_risk(at_risk);
}

void session_locks::log_awaited_releases() noexcept {
    const auto& open = held_.open_releases();
    if (open.empty())
        return;
    session_.reports().log(log_level::warning, [&] {
        const auto more = open.size() - 1;
        return "waits for a server, until the lease deadline at the latest: the release of " +
               open.begin()->second->path +
               (more > 0 ? " and " + std::to_string(more) + " more" : "");
    });
}

void session_locks::on_released(protocol::ticket_id ticket, protocol::failure why,
                                protocol::zookeeper_code code) {
    const auto& open = held_.open_releases();
    if (const auto release = open.find(ticket);
        release != open.end() && why == protocol::failure::unreachable)
        session_.reports().log(log_level::warning, [&] {
            return "no server has answered the release of " + release->second->path +
                   " in time: its ticket goes with the session at the latest";
        });
    held_.end(lock_operation::release, ticket, to_error_code(why, code));
}

void session_locks::on_downgraded(protocol::ticket_id ticket, protocol::failure why,
                                  protocol::zookeeper_code code) {
    held_.end(lock_operation::downgrade, ticket, to_error_code(why, code));
}

void session_locks::on_upgraded(protocol::ticket_id ticket, protocol::failure why,
                                protocol::zookeeper_code code, std::int64_t czxid) {
    if (const auto lock = held_.find(ticket); lock && why == protocol::failure::none) {
        lock->upgrade(fencing_token(static_cast<std::uint64_t>(czxid)));
        session_.reports().log(log_level::info, [&] {
            return "upgraded " + lock->record()->path + ", token " + lock->token().str();
        });
    }
    held_.end(lock_operation::upgrade, ticket, to_error_code(why, code));
}

// ---- ends ----

void session_locks::cancel(operation_id id) {
    const error_code aborted = asio::error::operation_aborted;
    const auto stop = [this](protocol::watcher_id which) {
        session_.driver().drive([&](auto& machine, auto now) { machine.cancel(now, which); });
    };
    // The machine ends acquires, look-ups and upgrades, and reports their end. All others end here.
    if (acquires_.contains(id) || lookups_.contains(id))
        return stop(id);
    if (const auto lock = held_.upgraded_by(id))
        return stop(*lock);
    if (const auto record = held_.cancel(id, aborted))
        session_.reports().log(log_level::warning, [&] {
            return "the release of " + record->path +
                   " is not waited for any more: no server has answered it yet";
        });
}

void session_locks::cancel_group(operation_id group) {
    for (const auto id : acquires_.members(group))
        cancel(id);
}

void session_locks::fail_all(const error_code& why) noexcept {
    lookups_.fail_all(why);
    acquires_.fail_all(why);
    held_.fail_all(why);
}

void session_locks::drop_all() noexcept {
    const auto lookups = lookups_.take();
    const auto acquires = acquires_.take();
    const auto held = held_.take();
}

} // namespace turnstile::detail
