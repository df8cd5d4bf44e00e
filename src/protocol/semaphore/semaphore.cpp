// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

// Starts in a row of one acquire before the lock path counts as unstable.
constexpr std::size_t most_tries = 64;

// "try-<16>-<16>-<16>-lease-<10>" and more: a reservation must never turn out too small.
constexpr std::size_t longest_permit_name = 80;

} // namespace

semaphore::semaphore(session_context& shared, std::string path, family& all)
    : context_(shared),
      family_(all),
      path_(std::move(path)),
      limit_path_(path_ + '/' + std::string(limit_name)),
      queue_path_(path_ + '/' + std::string(queue_name)),
      permits_path_(path_ + '/' + std::string(permits_name)),
      limit_(*this, shared),
      listing_(*this, shared),
      leaving_(*this, shared),
      held_(*this, shared, leaving_),
      sets_tickets_(shared.options.guarded),
      again_(shared.clock) {}

void semaphore::send(const request& what, reply_handler done) {
    ++open_;
    context_.requests.send(what, [this, done = std::move(done)](const reply& answer) {
        --open_;
        done(answer);
    });
}

void semaphore::ask(const request& what, reply_handler done) {
    send(what, [this, done = std::move(done), connection = connections_](const reply& answer) {
        if (connection == connections_ && !outcome_unknown(answer.code))
            done(answer);
    });
}

void semaphore::go_on_later() {
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()),
               [this] { go_on(); });
}

void semaphore::go_on() {
    limit_.go_on();
    listing_.look();
    if (acquires_.stand_in_line())
        limit_.read(); // also for those that it is to refuse
    start_all();
}

void semaphore::enter(ticket_id id, const acquire_request& wish, std::optional<instant> end,
                      bool only_looked) {
    ++uses_;
    auto newcomer = std::make_unique<acquire>(id, wish, context_.clock);
    newcomer->only_looked = only_looked;
    newcomer->mark = {context_.random(), id};
    newcomer->started = context_.now();
    newcomer->questions = limit_.questions();
    if (end)
        newcomer->deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    add_handle(id);
    acquires_.add(std::move(newcomer));
    start_all();
}

// The end of an acquire that has no ticket and no permits.
void semaphore::fail(acquire& which, failure why, zookeeper_code code, const lock_key& key) {
    const auto who = acquires_.extract(which);
    remove_handle(who->id);
    context_.bytes.give(who->paid);
    if (who->only_looked)
        context_.events.on_looked_up(who->id, why, code, key);
    else if (!who->abandoned)
        context_.events.on_acquire_failed(who->id, why, code);
}

void semaphore::cancel(ticket_id id, failure why, zookeeper_code code) {
    const auto who = acquires_.find(id);
    if (!who || who->abandoned)
        return;
    who->deadline.cancel();
    if (who->is_open()) {
        who->abandoned = true;
        context_.events.on_acquire_failed(id, why, code);
        return;
    }
    drop(*who);
    leave_line(*who);
    fail(*who, why, code);
    start_all();
}

void semaphore::fail_waiting(failure why, zookeeper_code code) {
    for (const auto id : acquires_.in({phase::starting}))
        if (const auto who = acquires_.find(id))
            fail(*who, why, code);
    const auto leaving = acquires_.in({phase::in_line, phase::first});
    for (auto next = leaving.rbegin(); next != leaving.rend(); ++next) // so none becomes first
        cancel(*next, why, code);
}

// Whether it may start once more.
bool semaphore::tries_on(acquire& who) {
    if (++who.tries <= most_tries)
        return true;
    cancel(who.id, failure::path_unstable);
    return false;
}

bool semaphore::release(ticket_id handle) {
    const bool was_there = held_.release(handle);
    seen_free_ |= was_there;
    return was_there;
}

void semaphore::abandon_all() {
    listing_.stop();
    again_.cancel();
    held_.end_all(failure::session_closed);
    while (!acquires_.empty())
        fail(*acquires_.front(), failure::session_closed);
}

void semaphore::on_connected() {
    held_.on_connected();
    for (const auto id : acquires_.in({phase::confirming}))
        if (const auto who = acquires_.find(id))
            confirm(*who);
    leaving_.flush();
    go_on();
}

void semaphore::on_disconnected() {
    ++connections_;
    limit_.on_disconnected();
    listing_.on_disconnected();
    held_.on_disconnected();
    again_.cancel();
    // The next server may have older data: a session that stood before this one may be granted once
    // more.
    for (auto who = acquires_.front(); who; who = acquires_.after(who->id)) {
        who->bound.reset();
        if (who->now == phase::first)
            who->now.enter(phase::in_line); // it hears again once its place was searched
    }
}

void semaphore::on_expired(failure releases) {
    listing_.stop();
    limit_.forget();
    leaving_.on_expired(releases);
    held_.end_all(failure::session_expired);
    for (auto who = acquires_.front(); who;) {
        const auto next = acquires_.after(who->id);
        who->unknown_takes.clear();
        who->permits.clear();
        if (who->abandoned)
            give_up(*who);
        else
            who->now.enter(who->stands_in_line() ? phase::in_line // the ticket enqueues by itself
                                                 : phase::starting);
        who = next;
    }
    start_all();
}

void semaphore::on_watch(const std::string& node, watch_event event) {
    if (node == limit_path_)
        limit_.on_changed();
    else if (node == permits_path_)
        listing_.on_changed();
    else
        held_.on_watch(node, event);
}

// In their order: one tries at a time, lest a later one take what an earlier one was refused.
void semaphore::start_all() {
    if (starting_ || listing_.is_sweeping() || !context_.requests.connected())
        return;
    starting_ = true;
    // Any of them may go meanwhile.
    for (auto who = acquires_.front(); who && !listing_.is_sweeping();) {
        const auto id = who->id;
        if (who->now == phase::trying || (who->now == phase::starting && !start(*who)))
            break;
        who = acquires_.after(id);
    }
    starting_ = false;
    restart_numbers();
}

// Whether those behind it may start as well.
bool semaphore::start(acquire& who) {
    const auto id = who.id;
    if (!limit_.known()) {
        limit_.read();
        return false;
    }
    if (refuse(who))
        return !acquires_.find(id);
    const auto& limit = *limit_.known();
    if (who.only_looked) { // each transaction that takes permits shows this key
        fail(who, failure::none, zookeeper_code::ok, {limit.incarnation, limit.ctime, path_});
        return true;
    }
    // Whatever others do, it is granted no permit before this session has let go of some.
    if (context_.options.refuses_own_waits && who.wish.patient &&
        held_.count() + who.wish.permits > limit.permits) {
        fail(who, failure::would_deadlock);
        return true;
    }
    if (!pay(who)) {
        fail(who, failure::session_full);
        return true;
    }
    if (!acquires_.stand_in_line() && (seen_free_ || !who.wish.patient || who.in_reserve)) {
        try_free(who);
        return false;
    }
    wait(who, false);
    return true;
}

// Whether it has to go. A limit that was read before it asked refuses no acquire, nor does one that
// the server may have read before it knew of a change.
bool semaphore::refuse(acquire& who) {
    const auto why = limit_.known()->refusal_of(who);
    if (why == failure::none)
        return false;
    if (why == failure::path_renewed || limit_.known()->question > who.questions) {
        const auto limit =
            "the limit of " + path_ + " is " + std::to_string(limit_.known()->permits);
        if (why == failure::limit_differs)
            context_.events.on_refusal(
                who.id, limit + ", and " + std::to_string(*who.wish.stated_limit) + " is stated");
        else if (why == failure::too_many)
            context_.events.on_refusal(who.id, limit + ", and " + std::to_string(who.wish.permits) +
                                                   " permits are wanted");
        cancel(who.id, why);
    } else
        limit_.read_for_sure();
    return true;
}

bool semaphore::pay(acquire& who) {
    const auto cost = who.wish.permits * ticket_cost(context_.options.chroot_bytes +
                                                     permits_path_.size() + longest_permit_name);
    if (who.paid > 0)
        return true;
    const bool may_wait = !who.wish.later_part;
    if (!context_.bytes.fits(cost, acquires_.stand_in_line() && may_wait))
        return false;
    who.in_reserve = !context_.bytes.fits(cost, true);
    who.paid = cost;
    context_.bytes.take(cost);
    return true;
}

void semaphore::make_permits(acquire& who, phase how, transaction_step second,
                             transaction_step third) {
    who.now.enter(how);
    who.attempt = ++family_.attempts;
    const auto limit = *limit_.known();
    const permit_name name{.tried = how == phase::trying,
                           .incarnation = limit.incarnation,
                           .session = context_.session_id,
                           .attempt = who.attempt};
    request what{.op = operation::transact, .path = path_};
    what.steps = {{.what = step_kind::check, .path = limit_path_, .version = limit.version},
                  std::move(second),
                  std::move(third)};
    what.steps.insert(what.steps.end(), who.wish.permits,
                      {.what = step_kind::create_sequential,
                       .path = permit_path(name.prefix()),
                       .data = context_.options.who.str(who.mark.str())});
    send(what, [this, id = who.id, how, limit](const reply& answer) {
        const auto still = acquires_.find(id);
        if (!still || still->now != how)
            return; // the session is over
        how == phase::trying ? on_tried(*still, answer, limit) : on_taken(*still, answer);
    });
}

// It has made permits. False where its caller has gone, or the numbers have come to their end.
bool semaphore::keep(acquire& who, const reply& answer, std::size_t stamped) {
    highest_ =
        std::max(highest_, who.keep(answer, answer.results[stamped].stat.mzxid, connections_));
    if (!who.abandoned && highest_ < sequence_limit)
        return true;
    drop(who);
    fail(who, failure::sequence_exhausted);
    return false;
}

void semaphore::try_free(acquire& who) {
    make_permits(who, phase::trying, {.what = step_kind::set, .path = queue_path_},
                 {.what = step_kind::set, .path = permits_path_});
}

void semaphore::on_tried(acquire& who, const reply& answer, const permit_limit& checked) {
    if (answer.code != zookeeper_code::ok) {
        who.now.enter(phase::starting);
        const bool is_lost = outcome_unknown(answer.code);
        if (is_lost) {
            listing_.on_lost_answer(); // what it made has no owner
            seen_free_ = false;
        }
        if (who.abandoned) {
            fail(who, failure::cancelled);
            start_all();
        } else if (!is_lost) {
            on_refused(who, answer);
        }
        return;
    }
    const auto& queue = answer.results[1].stat;
    const auto& permits = answer.results[2].stat;
    const bool is_known = permits.czxid == checked.incarnation;
    const bool fits =
        queue.children == 0 && permits.children + std::int64_t{who.wish.permits} <= checked.permits;
    seen_free_ = is_known && fits;
    if (!keep(who, answer, 2))
        return start_all();
    if (seen_free_) {
        confirm(who);
    } else {
        drop(who);
        who.now.enter(phase::starting);
        if (is_known)
            wait(who, true);
        else if (tries_on(who) && limit_.known() &&
                 limit_.known()->incarnation == checked.incarnation)
            limit_.forget(); // it is old
    }
    start_all();
}

// The transaction that makes permits.
void semaphore::on_refused(acquire& who, const reply& answer) {
    if (answer.code == zookeeper_code::throttled)
        return go_on_later();
    const auto why = who.refusal(answer);
    if (why == failure::wrong_kind)
        return limit_.doubt();
    if (why == failure::sequence_exhausted)
        highest_ = sequence_limit;
    if (why != failure::none)
        return cancel(who.id, why, answer.code);
    limit_.forget();
    if (who.stands_in_line() || tries_on(who))
        limit_.read();
}

// Not enough are free, or others stand in line. In the line it turns out whether these are nodes
// that go with no session. So an acquire that may not wait goes there, too, once in a while.
void semaphore::wait(acquire& who, bool after_try) {
    const bool crowded = std::exchange(who.in_reserve, false) && !context_.bytes.fits(0, true);
    who.looks_for_strays =
        !who.wish.patient && !crowded && after_try && listing_.may_look_for_strays();
    if (who.looks_for_strays)
        listing_.put_strays_off();
    if (!who.wish.patient && !who.looks_for_strays)
        fail(who, failure::would_block);
    else if (crowded && !who.wish.later_part)
        fail(who, failure::session_full);
    else
        stand_in_line(who);
}

void semaphore::on_limit(bool differs) {
    if (differs)
        highest_ = -1; // of another incarnation, perhaps
    for (const auto id : acquires_.in({phase::in_line, phase::first}))
        if (const auto who = acquires_.find(id); who && limit_.known())
            refuse(*who);
    start_all();
    if (acquires_.stand_in_line())
        limit_.watch();
    if (differs)
        listing_.look();
}

// The first acquire that states a limit makes the semaphore.
void semaphore::on_no_limit(std::uint64_t question) {
    // Those in line leave it: their tickets may be gone, and would be good for nothing.
    const auto leaving = acquires_.in({phase::in_line, phase::first});
    for (auto next = leaving.rbegin(); next != leaving.rend(); ++next) // so none becomes first
        if (const auto who = acquires_.find(*next)) {
            leave_line(*who);
            who->now.enter(phase::starting);
            tries_on(*who);
        }
    if (const auto maker = acquires_.maker()) {
        if (tries_on(*maker))
            limit_.make();
        return;
    }
    for (const auto id : acquires_.in({phase::starting}))
        if (const auto who = acquires_.find(id); who && question > who->questions)
            fail(*who, failure::no_limit);
    if (!acquires_.in({phase::starting}).empty())
        limit_.read_for_sure();
}

void semaphore::stand_in_line(acquire& who) {
    who.now.enter(phase::in_line);
    who.bound.reset();
    auto& queue = family_.queues.at(queue_path_, lock_queue::purpose::part);
    queue.path_is(limit_.known()->incarnation);
    acquires_.put_in_line(who, (ticket_id{1} << 62) + ++family_.places); // above all callers' ids
    auto& place = queue.add(who.place);
    place.taker = this;
    place.options = {.wait = who.wish.patient, .later_part = who.wish.later_part};
    place.request = who.mark;
    place.started = who.started;
    queue.enter(place);
    limit_.watch();
}

// Its ticket, if it has one, is deleted; the acquire goes on without it. What it may have taken has
// no owner.
void semaphore::leave_line(acquire& who) {
    if (const auto ticket = family_.queues.tickets().find(acquires_.take_out_of_line(who))) {
        ticket->change = own_change::none;
        ticket->where.cancel(*ticket, failure::cancelled); // not heard
    }
    if (!who.unknown_takes.empty())
        listing_.on_lost_answer();
}

// Its caller has gone.
void semaphore::give_up(acquire& who) {
    leave_line(who);
    fail(who, failure::cancelled);
}

void semaphore::on_line_failed(ticket_id place, failure why, zookeeper_code code) {
    const auto who = acquires_.at(place);
    if (!who)
        return;
    acquires_.take_out_of_line(*who);
    if (who->now == phase::taking || !who->unknown_takes.empty())
        listing_.on_lost_answer(); // what it may have taken has no owner
    // The queue is not there: perhaps the semaphore was removed.
    if (why == failure::path_unstable && code == zookeeper_code::no_node && !who->abandoned) {
        limit_.doubt();
        who->now.enter(phase::starting);
        tries_on(*who);
    } else {
        fail(*who, why, code);
    }
    start_all();
}

void semaphore::on_place_lost(ticket_id place) {
    const auto who = acquires_.at(place);
    if (!who)
        return;
    if (who->now == phase::taking)
        who->unknown_takes.insert(who->attempt);
    if (who->abandoned)
        return give_up(*who);
    who->now.enter(phase::in_line);
    who->bound.reset();
    if (!who->unknown_takes.empty())
        listing_.on_lost_answer(); // its ticket may have gone with what it took
}

void semaphore::on_first(ticket_id place) {
    const auto who = acquires_.at(place);
    if (!who || who->now == phase::taking)
        return;
    who->now.enter(phase::first);
    family_.queues.tickets().find(place)->change = own_change::none;
    listing_.look();
}

void semaphore::on_permits(const reply& answer) {
    auto& who = *acquires_.first();
    if (answer.code == zookeeper_code::throttled)
        return go_on_later();
    if (answer.code == zookeeper_code::no_node)
        return limit_.doubt();
    if (answer.code != zookeeper_code::ok)
        return cancel(who.id, failure_of_read(answer.code), answer.code);
    if (!limit_.known())
        return limit_.read();
    if (!who.bound)
        who.bound = answer.stat.next_sequence();
    if (answer.stat.czxid != limit_.known()->incarnation) { // it is old, or of another semaphore
        limit_.forget();
        if (tries_on(who))
            limit_.read();
        return;
    }
    // The limit may have sunk while permits were being taken, or the semaphore was made anew.
    if (refuse(who))
        return;
    if (listing_.count(answer.children, *who.bound) + who.wish.permits <= limit_.known()->permits)
        return take(who);
    if (std::exchange(who.looks_for_strays, false) || listing_.may_look_for_strays())
        return listing_.look_for_strays(answer.children);
    if (!who.wish.patient)
        cancel(who.id, failure::would_block);
}

// Without its ticket no acquire takes permits.
void semaphore::take(acquire& who) {
    const auto place = family_.queues.tickets().find(who.place);
    if (!place || !place->has_node())
        return; // it will hear that
    place->change = own_change::taking;
    const auto node = place->where.path_of(*place);
    // The set's stat tells the transaction. On the ticket it also tells the next in line; where
    // this session may not write tickets, the deletion does.
    make_permits(who, phase::taking,
                 sets_tickets_
                     ? transaction_step{.what = step_kind::set, .path = node, .data = "taken\n"}
                     : transaction_step{.what = step_kind::set, .path = queue_path_},
                 {.what = step_kind::remove, .path = node});
}

void semaphore::on_taken(acquire& who, const reply& answer) {
    if (answer.code != zookeeper_code::ok)
        return on_not_taken(who, answer);
    const auto id = who.id;
    who.now.enter(phase::confirming);
    const auto place = acquires_.take_out_of_line(who);
    const bool is_kept = keep(who, answer, 1);
    if (const auto ticket = family_.queues.tickets().find(place))
        ticket->where.leave_with_transaction(*ticket); // the next of this session may be first
    if (const auto still = acquires_.find(id); still && is_kept)
        confirm(*still);
    start_all();
}

void semaphore::on_not_taken(acquire& who, const reply& answer) {
    const auto place = family_.queues.tickets().find(who.place);
    if (outcome_unknown(answer.code)) {
        who.now.enter(phase::unresolved);
        who.unknown_takes.insert(who.attempt);
        if (who.abandoned)
            give_up(who);
        return listing_.on_lost_answer();
    }
    if (place)
        place->where.stays(*place);
    who.now.enter(phase::first);
    if (who.abandoned) {
        give_up(who);
        return start_all();
    }
    const auto step = failed_step(answer);
    if (answer.code == zookeeper_code::no_auth && step == 1 && sets_tickets_) {
        sets_tickets_ = false; // the server knows the tickets' identity by another digest
        take(who);
    } else if (answer.code == zookeeper_code::no_node &&
               (step == 2 || (step == 1 && sets_tickets_))) { // the ticket
        if (place)
            place->where.on_deleted_outside(*place);
    } else {
        on_refused(who, answer);
    }
}

// Granted on a fresh lease of the session only, as any lock, and on a connection that has shown the
// permits.
void semaphore::confirm(acquire& who) {
    who.now.enter(phase::confirming);
    who.tries = 0;
    if (context_.lease_is_fresh() && who.czxid != 0 && who.shown_on == connections_)
        return grant(who);
    if (!context_.requests.connected())
        return; // again on the next connection
    const auto confirmed = [this, id = who.id, attempt = who.attempt]() -> acquire* {
        const auto found = acquires_.find(id);
        return found && found->now == phase::confirming && found->attempt == attempt ? found
                                                                                     : nullptr;
    };
    if (who.czxid == 0) // the token
        ask({.op = operation::get, .path = who.permits.front()},
            [this, confirmed](const reply& answer) {
                const auto still = confirmed();
                if (still && answer.code == zookeeper_code::ok)
                    still->czxid = answer.stat.czxid;
                else if (still && answer.code == zookeeper_code::no_auth) // for how long?
                    cancel(still->id, failure::read_denied, answer.code);
            });
    request what{.op = operation::transact, .path = path_};
    for (const auto& node : who.permits)
        what.steps.push_back({.what = step_kind::check, .path = node});
    ask(what, [this, confirmed](const reply& answer) {
        const auto still = confirmed();
        if (!still)
            return;
        if (answer.code == zookeeper_code::no_node) { // a foreign client has deleted some
            drop(*still);
            still->now.enter(phase::starting);
            tries_on(*still);
            return start_all();
        }
        if (answered(answer.code) && still->czxid != 0 && context_.lease_is_fresh())
            return grant(*still);
        context_.prove_anew(answer.code, [&] { confirm(*still); });
    });
}

void semaphore::grant(acquire& which) {
    const auto who = acquires_.extract(which);
    held_.add(*who);
    context_.tell_deadline();
    context_.events.on_granted(who->id, who->czxid);
}

void semaphore::on_swept(const permit_listing::permits_by_taker& found,
                         const std::vector<std::string>& unknown) {
    leaving_.add_strays(unknown);
    for (const auto id : acquires_.in({phase::unresolved}))
        if (!found.contains(id)) // nothing was taken, unless it comes late
            acquires_.find(id)->now.enter(phase::in_line);
    for (const auto& [id, permits] : found)
        if (const auto who = acquires_.find(id))
            adopt(*who, permits);
    start_all();
}

void semaphore::adopt(acquire& who, const std::vector<std::string>& permits) {
    who.now.enter(phase::confirming);
    who.unknown_takes.clear();
    leave_line(who); // the ticket went with the permits, or is one that stands for nothing now
    who.permits = permits;
    who.czxid = 0;
    if (who.permits.size() == who.wish.permits)
        return confirm(who);
    drop(who); // a foreign client has deleted some of them
    who.now.enter(phase::starting);
    tries_on(who);
}

// No acquire of this session is there: the numbers of permits and tickets can start again.
void semaphore::restart_numbers() {
    const auto& limit = limit_.known();
    if (!limit || !acquires_.empty() || !held_.empty() || !leaving_.empty())
        return;
    const auto* const queue = family_.queues.find(queue_path_);
    const bool is_same = queue && queue->directory().incarnation() == limit->incarnation;
    if (std::max(highest_, is_same ? queue->directory().highest() : -1) >= sequence_high)
        limit_.restart_numbers();
}

} // namespace turnstile::protocol
