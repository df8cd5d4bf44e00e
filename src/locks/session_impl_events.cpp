// SPDX-License-Identifier: BSL-1.0
// What the machine tells, handed on to the operations that wait for it.
#include "locks/failure_codes.hpp"
#include "locks/session_impl_calls.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace turnstile::detail {

namespace {

session_state to_state(protocol::session_phase phase) {
    switch (phase) {
    case protocol::session_phase::idle:
        return session_state::idle;
    case protocol::session_phase::connecting:
        return session_state::connecting;
    case protocol::session_phase::connected:
        return session_state::connected;
    case protocol::session_phase::suspended:
        return session_state::suspended;
    case protocol::session_phase::closing:
        return session_state::closing;
    case protocol::session_phase::closed:
        break;
    }
    return session_state::closed;
}

// Of a grant that nobody waits for any more; its lock is released where it is dropped.
std::shared_ptr<lock_record> nobody() { return std::make_shared<lock_record>("", 0); }

usage_count usage_meter::*counter_of(protocol::failure why) {
    switch (why) {
    case protocol::failure::would_block:
        return &usage_meter::would_block;
    case protocol::failure::timed_out:
        return &usage_meter::timed_out;
    case protocol::failure::cancelled:
        return &usage_meter::cancelled;
    default:
        return &usage_meter::failed;
    }
}

lock_event event_of(const ticket_lock& lock, lock_event::kind what, error_code reason = {}) {
    return {
        .what = what, .acquire = lock.acquire(), .fencing_token = lock.token(), .reason = reason};
}

} // namespace

void session_impl::on_phase(protocol::session_phase phase) {
    const auto id = driver_->machine().session().session_id;
    if (id != 0 && id != session_id())
        made_sessions_.add();
    const auto timeout = id == 0 ? protocol::duration::zero() : driver_->machine().timeout();
    session_id_.store(id, std::memory_order_release);
    timeout_.store(std::chrono::duration_cast<std::chrono::milliseconds>(timeout),
                   std::memory_order_release);
    // Last: whoever sees that it is connected finds the rest.
    state_.store(to_state(phase), std::memory_order_release);
    if (phase == protocol::session_phase::closed)
        log(log_level::info, [] { return "closed"; });
    if (id == 0)
        log_.ended();
    state_waits_.complete_all(home_, {}, state());
}

void session_impl::on_connect_result(protocol::failure why) {
    if (why == protocol::failure::none && log_.server().empty())
        connections_.add();
    if (why == protocol::failure::none)
        log([this] { return log_.answered(session_id(), driver_->server(), timeout()); });
    else
        connects_.for_each([this](const auto& failing) { explain(failing.told()); });
    connects_.complete_all(home_, to_error_code(why));
}

void session_impl::on_closed() {
    connects_.complete_all(home_, error::session_closed);
    closes_.complete_all(home_, {});
}

void session_impl::on_queued(protocol::ticket_id ticket, std::int32_t ahead) {
    if (const auto waiting = acquires_.find(ticket))
        tell(waiting->of(), [&] {
            return lock_event{.what = lock_event::kind::queued,
                              .acquire = ticket,
                              .ahead = static_cast<std::uint32_t>(ahead)};
        });
}

void session_impl::on_granted(protocol::ticket_id ticket, std::int64_t czxid) {
    const auto waiting = acquires_.find(ticket);
    const fencing_token token(static_cast<std::uint64_t>(czxid));
    const auto lock =
        std::make_shared<ticket_lock>(shared_from_this(), waiting ? waiting->take_of() : nobody(),
                                      ticket, token, driver_->input_began());
    locks_.granted(lock);
    const auto& of = lock->of();
    count(*of, &usage_meter::granted);
    if (waiting)
        count(*of, &usage_meter::wait, waiting->began());
    log(log_level::info, [&] { return "granted " + of->path + ", token " + token.str(); });
    tell(of, [&] {
        return lock_event{
            .what = lock_event::kind::granted, .acquire = ticket, .fencing_token = token};
    });
    acquires_.complete(ticket, home_, {}, ticket_lock::own(lock));
}

void session_impl::on_acquire_failed(protocol::ticket_id ticket, protocol::failure why,
                                     protocol::zookeeper_code code) {
    const auto reason = reason_of(why, code);
    const bool taken = why == protocol::failure::would_block; // the empty lock says so
    if (const auto failing = acquires_.find(ticket)) {
        if (!taken)
            explain(failing->told());
        count(*failing->of(), counter_of(why));
        tell(failing->of(), [&] {
            return lock_event{
                .what = lock_event::kind::failed, .acquire = ticket, .reason = reason};
        });
    }
    acquires_.complete(ticket, home_, taken ? error_code() : reason, {});
}

void session_impl::on_looked_up(protocol::inquiry_id lookup, protocol::failure why,
                                protocol::zookeeper_code code, const protocol::lock_key& key) {
    if (const auto change = changes_.find(lookup)) {
        change->of_semaphore()->on_path(why, code); // nothing else needs the path made
        return continue_change(lookup);
    }
    if (const auto failing = lookups_.find(lookup); failing && why != protocol::failure::none)
        explain(failing->told());
    lookups_.complete(lookup, home_, reason_of(why, code), key);
}

void session_impl::let_go(ticket_lock& lock) {
    const bool held = locks_.releasing(lock.id());
    driver_->release(lock.id());
    if (!held || --lock.handles() > 0)
        return;
    count(*lock.of(), &usage_meter::released);
    count(*lock.of(), &usage_meter::hold, lock.granted_at());
    tell(lock.of(), [&] { return event_of(lock, lock_event::kind::released); });
}

void session_impl::on_lost(protocol::ticket_id ticket, protocol::failure why) {
    const auto lock = locks_.find(ticket);
    if (lock && lock->loss() == protocol::failure::none) { // of the first handle that is told
        const auto reason = to_error_code(why);
        const bool wanted = why == protocol::failure::session_closed; // by its owner
        log([&] {
            return log_.lost(wanted ? log_level::info : log_level::error, lock->of()->path,
                             reason.message(), driver_->input_began());
        });
        count(*lock->of(), wanted ? &usage_meter::closed : &usage_meter::lost);
        count(*lock->of(), &usage_meter::hold, lock->granted_at());
        tell(lock->of(), [&] { return event_of(*lock, lock_event::kind::lost, reason); });
    }
    // Only a lock lost by its deadline is sure to be nobody else's until then.
    locks_.lost(ticket, why,
                why == protocol::failure::lost_deadline ? lease_.deadline()
                                                        : lease_clock::time_point{});
}

void session_impl::on_released(protocol::ticket_id ticket, protocol::failure why,
                               protocol::zookeeper_code code) {
    locks_.released(ticket, to_error_code(why, code));
}

void session_impl::on_downgraded(protocol::ticket_id ticket, protocol::failure why,
                                 protocol::zookeeper_code code) {
    locks_.downgraded(ticket, to_error_code(why, code));
}

void session_impl::on_upgraded(protocol::ticket_id ticket, protocol::failure why,
                               protocol::zookeeper_code code, std::int64_t czxid) {
    if (const auto lock = locks_.find(ticket); lock && why == protocol::failure::none) {
        lock->upgrade(fencing_token(static_cast<std::uint64_t>(czxid)));
        log(log_level::info,
            [&] { return "upgraded " + lock->of()->path + ", token " + lock->token().str(); });
    }
    locks_.upgraded(ticket, to_error_code(why, code));
}

void session_impl::on_deadline(const protocol::lease_instants& in_force) { lease_.set(in_force); }

void session_impl::on_risk(bool at_risk) {
    // The risk is over, too, where nothing is held any more.
    const bool is_proved = lease_clock::now() < lease_.risk();
    log(at_risk ? log_level::warning : log_level::info, [&]() -> std::string {
        if (!at_risk)
            return is_proved ? "out of danger: the session is proved to live"
                             : "nothing is held any more that is at risk";
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(lease_.told() - lease_clock::now());
        return "at risk: nothing has proved lately that the session lives; what it holds is lost " +
               (left.count() > 0 ? "in " + std::to_string(left.count()) + " ms" : "now");
    });
    if (at_risk)
        risks_.add();
    const auto what = at_risk ? lock_event::kind::at_risk : lock_event::kind::out_of_danger;
    locks_.for_each([&](ticket_lock& lock) {
        if (lock.note_risk(at_risk)) // of the first handle that is come upon
            tell(lock.of(), [&] { return event_of(lock, what); });
    });
    locks_.risk(at_risk);
}

void session_impl::count(lock_record& of, usage_count usage_meter::*what) {
    (usage_.*what).add();
    (of.usage.*what).add();
}

void session_impl::count(lock_record& of, histogram_meter usage_meter::*where,
                         lease_clock::time_point since) {
    const histogram_meter::entry one(driver_->input_began() - since);
    (usage_.*where).add(one);
    (of.usage.*where).add(one);
}

session_usage session_impl::usage() const {
    return {.connections = connections_.read(),
            .connections_lost = connections_lost_.read(),
            .failed_attempts = failed_attempts_.read(),
            .sessions = made_sessions_.read(),
            .risks = risks_.read(),
            .missed_events = missed_events_.read(),
            .stalls = stalls_.read(),
            .locks = usage_.read()};
}

} // namespace turnstile::detail
