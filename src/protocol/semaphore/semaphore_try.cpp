// SPDX-License-Identifier: BSL-1.0
// Free leases: one transaction takes them where nobody stands in line.
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

// Starts in a row of one acquire before the lock path counts as unstable.
constexpr std::size_t most_starts = 64;

// "try-<16>-<16>-<16>-lease-<10>" and more: a reservation must never turn out too small.
constexpr std::size_t longest_lease_name = 80;

} // namespace

// In their order: one tries at a time, lest a later one take what an earlier one was refused.
void semaphore::start_all() {
    if (starting_ || sweeping_ || !context_.requests.connected())
        return;
    starting_ = true;
    // Any of them may go meanwhile.
    for (auto next = acquires_.begin(); next != acquires_.end() && !sweeping_;) {
        auto& who = *next->second;
        const auto id = who.id;
        if (who.now == stage::trying)
            break;
        if (who.now == stage::starting && !start(who))
            break;
        next = acquires_.upper_bound(id);
    }
    starting_ = false;
}

// Whether those behind it may start as well.
bool semaphore::start(acquire& who) {
    if (!limit_) {
        learn();
        return false;
    }
    if (is_renewed(who)) {
        fail(who, failure::path_renewed);
        return true;
    }
    if (const auto why = refusal_of(who); why != failure::none) {
        if (!rules_.may_refuse(limit_->question > who.questions)) {
            learn_for_sure();
            return false;
        }
        fail(who, why);
        return true;
    }
    if (who.only_looked) {
        tell_key(who);
        return true;
    }
    if (waits_for_own(who) && context_.refuses_own_wait(path_)) {
        fail(who, failure::would_deadlock);
        return true;
    }
    if (leaving_.denied())
        leaving_.retry();
    if (leaving_.retrying())
        return false; // their answers decide
    if (!pay(who)) {
        fail(who, failure::session_full);
        return true;
    }
    const bool line = anybody_in_line();
    if (!line && (seen_free_ || !who.patient || who.in_reserve)) {
        try_free(who);
        return false;
    }
    wait(who, false);
    return true;
}

failure semaphore::refusal_of(const acquire& who) const {
    if (rules_.is_another_limit(who.limit, limit_->value))
        return failure::limit_differs;
    return rules_.is_too_many(who.count, limit_->value) ? failure::too_many : failure::none;
}

// Whatever others do, it is granted no lease before this session has let go of some. Told once.
bool semaphore::waits_for_own(acquire& who) {
    if (!context_.heeds_own_waits() || !who.patient || std::exchange(who.own_wait_told, true))
        return false;
    std::uint64_t held = 0;
    for (const auto& [id, each] : acquires_)
        if (each->now == stage::held)
            held += each->count;
    return held + who.count > limit_->value;
}

// That of the three nodes, and not of the lock path: each transaction that takes leases shows it.
void semaphore::tell_key(acquire& who) {
    const auto id = who.id;
    const lock_key key{limit_->incarnation, limit_->ctime};
    erase(id);
    context_.events.on_looked_up(id, failure::none, zookeeper_code::ok, key);
}

bool semaphore::pay(acquire& who) {
    const auto cost = who.count * ticket_cost(context_.options.chroot_bytes + leases_path_.size() +
                                              longest_lease_name);
    if (who.paid > 0)
        return true;
    const bool may_wait = !who.later_part;
    if (!context_.bytes.fits(cost, anybody_in_line() && may_wait))
        return false;
    who.in_reserve = !context_.bytes.fits(cost, true);
    who.paid = cost;
    context_.bytes.take(cost);
    return true;
}

// Not enough are free, or others stand in line. In the line it turns out whether these are nodes
// that go with no session. So who may not wait goes there, too, once in a while.
void semaphore::wait(acquire& who, bool after_try) {
    const bool crowded = std::exchange(who.in_reserve, false) && !context_.bytes.fits(0, true);
    who.looks_for_strays = !who.patient && !crowded && after_try && may_look_for_strays();
    if (who.looks_for_strays)
        strays_due_ = context_.now() + lease_plan::asked_again(context_.lease.timeout());
    if (!who.patient && !who.looks_for_strays)
        fail(who, failure::would_block);
    else if (crowded && !who.later_part)
        fail(who, failure::session_full);
    else
        stand_in_line(who);
}

bool semaphore::restart(acquire& who) {
    if (++who.tries <= most_starts)
        return true;
    fail(who, failure::path_unstable);
    return false;
}

void semaphore::add_leases(const acquire& who, bool tried, std::vector<transaction_step>& to) {
    const lease_name name{.tried = tried,
                          .incarnation = limit_->incarnation,
                          .session = context_.session_id,
                          .attempt = who.attempt};
    const transaction_step step{.what = step_kind::create_sequential,
                                .path = lease_path(name.prefix()),
                                .data = context_.options.who.str(who.request.str())};
    to.insert(to.end(), who.count, step);
}

void semaphore::try_free(acquire& who) {
    who.now = stage::trying;
    who.attempt = ++family_.attempts;
    request what{.op = operation::transact, .path = path_};
    what.steps = {{.what = step_kind::check,
                   .path = limit_path_,
                   .version = rules_.version_to_check(limit_->version)},
                  {.what = step_kind::set, .path = queue_path_},
                  {.what = step_kind::set, .path = leases_path_}};
    add_leases(who, true, what.steps);
    send(what, [this, id = who.id, checked = *limit_](const reply& answer) {
        on_tried(id, answer, checked);
    });
}

void semaphore::on_tried(ticket_id id, const reply& answer, const known_limit& checked) {
    const auto who = find(id);
    if (!who || who->now != stage::trying)
        return; // the session is over
    using enum zookeeper_code;
    if (answer.code == ok) {
        const auto& queue = answer.results[1].stat;
        const auto& leases = answer.results[2].stat;
        take_over(*who, answer, 3, leases.mzxid);
        const bool known = rules_.is_of_limit(leases.czxid, checked.incarnation);
        const bool passes = rules_.may_pass_line(queue.children);
        const bool fits = known && rules_.fits(leases.children, who->count, checked.value);
        seen_free_ = passes && fits;
        if (who->abandoned) {
            drop_leases(*who, 0);
            erase(id);
            return start_all();
        }
        if (is_exhausted(*who)) {
            drop_leases(*who, 0);
            fail(*who, failure::sequence_exhausted);
            return start_all();
        }
        if (known && passes && fits) {
            who->tries = 0;
            confirm(*who);
            return start_all();
        }
        rules_.gives_back_refused() ? drop_leases(*who, 0) : who->leases.clear();
        who->now = stage::starting;
        if (!known) {
            if (limit_ && limit_->incarnation == checked.incarnation)
                doubt_limit();
            if (!restart(*who))
                return start_all();
        } else {
            wait(*who, true);
        }
        return start_all();
    }
    who->now = stage::starting;
    if (outcome_unknown(answer.code)) {
        sweep_on_next_connection(); // what it made is held by nobody
        seen_free_ = false;
        if (who->abandoned)
            erase(id);
        return;
    }
    if (who->abandoned) {
        erase(id);
        return start_all();
    }
    switch (answer.code) {
    case no_node: // the semaphore was removed, or a part of it
        part_missing_ = true;
        [[fallthrough]];
    case bad_version: // it has another limit
        limit_.reset();
        if (!restart(*who))
            return start_all();
        break;
    case no_auth:
        fail(*who,
             answer.results.empty() || answer.results[0].code == no_auth ? failure::read_denied
             : answer.results[1].code == no_auth || answer.results[2].code == no_auth
                 ? failure::write_denied
                 : failure::create_denied,
             answer.code);
        break;
    case throttled:
        return look_later();
    case node_exists: // the server's counter sticks at its end
        highest_ = sequence_limit;
        fail(*who, failure::sequence_exhausted);
        break;
    default:
        fail(*who, failure::server_error, answer.code);
    }
    start_all();
    restart_numbers();
}

void semaphore::stand_in_line(acquire& who) {
    who.now = stage::in_line;
    who.bound.reset();
    auto& queue = family_.queues.at(queue_path_, lock_queue::purpose::part);
    queue.path_is(limit_->incarnation);
    who.place = (ticket_id{1} << 62) + ++family_.places; // above those of all callers
    places_[who.place] = who.id;
    auto place = std::make_unique<ticket>(who.place, queue, context_.clock);
    place->taker = this;
    place->options = {.wait = who.patient, .later_part = who.later_part};
    place->request = who.request;
    place->started = who.started;
    queue.enter(std::move(place));
    if (!limit_watched_ && rules_.watches_limit())
        learn();
}

} // namespace turnstile::protocol
