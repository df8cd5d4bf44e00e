// SPDX-License-Identifier: BSL-1.0
#include "protocol/semaphore/semaphore.hpp"

#include "protocol/names/ticket_name.hpp"
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>

namespace turnstile::protocol {

namespace {

// After this many starts of one acquire in a row the lock path counts as unstable.
constexpr std::size_t most_starts = 64;

// At least as long as "try-<16>-<16>-<16>-lease-<10>": a reservation must never be too small.
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
      sets_tickets_(shared.options.protects_tickets),
      again_(shared.clock) {}

// ---- requests ----

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
    // Each call starts the timer anew, since a doubt of the limit (limit_node::doubt) has to last
    // for T/8 (S8). If an acquire comes meanwhile, enter() starts all that wait, without the timer.
    again_.set(context_.now() + lease_plan::asked_again(context_.lease.timeout()),
               [this] { go_on(); });
}

void semaphore::go_on() {
    limit_.end_doubt();
    listing_.look();
    if (acquires_.any_stand_in_line())
        limit_.read(); // a new limit may refuse acquires that stand in the queue
    start_all();
}

// ---- an acquire begins, fails, is cancelled or released ----

void semaphore::enter(ticket_id id, const acquire_request& wish, std::optional<instant> end,
                      bool asks_for_key) {
    ++uses_;
    auto newcomer = std::make_unique<acquire>(id, wish, context_);
    newcomer->asks_for_key = asks_for_key;
    newcomer->mark = {context_.random(), id};
    newcomer->started = context_.now();
    newcomer->questions = limit_.questions();
    if (end)
        newcomer->deadline.set(*end, [this, id] { cancel(id, context_.end_of_time()); });
    add_handle(id);
    acquires_.add(std::move(newcomer));
    start_all();
}

void semaphore::tell_key(acquire& which) {
    const auto who = acquires_.extract(which);
    remove_handle(who->id);
    const auto& limit = *limit_.known(); // each transaction of permits shows these two
    context_.lock_events.on_looked_up(who->id, failure::none, zookeeper_code::ok,
                                      {limit.incarnation, limit.ctime, path_});
}

void semaphore::fail(acquire& which, failure why, zookeeper_code code) {
    const auto who = acquires_.extract(which);
    remove_handle(who->id);
    who->bytes.give();
    if (who->asks_for_key)
        context_.lock_events.on_looked_up(who->id, why, code, {});
    else if (!who->abandoned)
        context_.lock_events.on_acquire_failed(who->id, why, code);
}

void semaphore::cancel(ticket_id id, failure why, zookeeper_code code) {
    const auto who = acquires_.find(id);
    if (!who || who->abandoned)
        return;
    who->deadline.cancel();
    if (who->is_open()) { // permits may yet appear: the answer ends the acquire
        who->abandoned = true;
        context_.lock_events.on_acquire_failed(id, why, code);
        return;
    }
    delete_permits(*who);
    leave_line(*who);
    fail(*who, why, code);
    start_all();
}

void semaphore::fail_waiting(failure why, zookeeper_code code) {
    for (const auto id : acquires_.in({phase::starting}))
        if (const auto who = acquires_.find(id))
            fail(*who, why, code);
    const auto leaving = acquires_.in({phase::in_line, phase::first});
    // From the back, so that none of them becomes the first on the way.
    for (auto next = leaving.rbegin(); next != leaving.rend(); ++next)
        cancel(*next, why, code);
}

bool semaphore::count_start(acquire& who) {
    if (++who.tries <= most_starts)
        return true;
    cancel(who.id, failure::path_unstable);
    return false;
}

bool semaphore::release(ticket_id handle) {
    const bool was_there = held_.release(handle);
    may_find_room_ |= was_there;
    return was_there;
}

// ---- connections, and the end of the session ----

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
    // `bound` is the number from which on permits that were tried do not count (S3). It holds for
    // one connection: the next server may have older data, and another session may be granted
    // permits meanwhile. So the first in the queue counts all permits that it then finds (S5).
    for (auto who = acquires_.front(); who; who = acquires_.after(who->id)) {
        who->bound.reset();
        if (who->phase == phase::first)
            who->phase.enter(phase::in_line); // on_first() comes again after the reconnect
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
            who->phase.enter(who->stands_in_line() ? phase::in_line // its queue enqueues it anew
                                                   : phase::starting);
        who = next;
    }
    start_all();
}

bool semaphore::on_watch(const std::string& node, watch_event event) {
    if (node == limit_path_)
        limit_.on_changed();
    else if (node == permits_path_)
        listing_.on_changed();
    else
        held_.on_watch(node, event);
    return true;
}

// ---- acquires start ----

// Starts the acquires in their order. Only one of them tries at a time. Of two that try, the later
// one could get permits where the earlier one was refused, and would overtake it.
void semaphore::start_all() {
    if (starting_ || listing_.is_sweeping() || !context_.requests.connected())
        return;
    starting_ = true;
    // Each start may end any of them.
    for (auto who = acquires_.front(); who && !listing_.is_sweeping();) {
        const auto id = who->id;
        if (who->phase == phase::trying ||
            (who->phase == phase::starting && start(*who) == after_start::others_wait))
            break;
        who = acquires_.after(id);
    }
    starting_ = false;
    restart_numbers();
}

semaphore::after_start semaphore::start(acquire& who) {
    if (!limit_.known()) {
        limit_.read();
        return after_start::others_wait;
    }
    if (const auto result = apply_limit(who); result != limit_result::allowed)
        return result == limit_result::refused ? after_start::next_may_start
                                               : after_start::others_wait;
    if (who.asks_for_key) {
        tell_key(who);
        return after_start::next_may_start;
    }
    // The acquire would wait for this session itself, until that has released permits.
    if (context_.options.refuses_own_waits && who.wish.patient &&
        held_.count() + who.wish.permits > limit_.known()->permits) {
        fail(who, failure::would_deadlock);
        return after_start::next_may_start;
    }
    if (!take_bytes(who)) {
        fail(who, failure::session_full);
        return after_start::next_may_start;
    }
    if (is_worth_a_try(who)) {
        try_free(who);
        return after_start::others_wait;
    }
    wait_or_fail(who, false);
    return after_start::next_may_start;
}

// A try is worth while if the last one found room. Two acquires may not stand in the queue, and so
// try in any case: a try_acquire, and one whose bytes are of the budget's reserve.
bool semaphore::is_worth_a_try(const acquire& who) const {
    if (acquires_.any_stand_in_line())
        return false; // it would overtake them
    return may_find_room_ || !who.wish.patient || who.bytes.is_in_reserve();
}

// A limit that refuses the acquire counts only if it was read for sure (limit_node::read_for_sure)
// after the acquire came: else the server may lag behind, and it is read again first (S5).
semaphore::limit_result semaphore::apply_limit(acquire& who) {
    const auto why = limit_.known()->refusal_of(who);
    if (why == failure::none)
        return limit_result::allowed;
    const bool is_sure = why == failure::path_renewed || limit_.known()->question > who.questions;
    if (!is_sure) {
        limit_.read_for_sure();
        return limit_result::in_doubt;
    }
    const auto limit = "the limit of " + path_ + " is " + std::to_string(limit_.known()->permits);
    if (why == failure::limit_differs)
        context_.lock_events.on_refusal(
            who.id, limit + ", and " + std::to_string(*who.wish.stated_limit) + " is stated");
    else if (why == failure::too_many)
        context_.lock_events.on_refusal(
            who.id, limit + ", and " + std::to_string(who.wish.permits) + " permits are wanted");
    cancel(who.id, why);
    return limit_result::refused;
}

bool semaphore::take_bytes(acquire& who) {
    const auto cost = who.wish.permits * ticket_cost(context_.options.chroot_bytes +
                                                     permits_path_.size() + longest_permit_name);
    const bool has_ticket_there = acquires_.any_stand_in_line() && !who.wish.later_part;
    return !who.bytes.empty() || who.bytes.take(context_.bytes, cost, has_ticket_there);
}

// ---- permits without a ticket (S1) ----

void semaphore::make_permits(acquire& who, phase to, transaction_step second,
                             transaction_step third) {
    who.phase.enter(to);
    who.attempt = ++family_.attempts;
    const auto limit = *limit_.known();
    const permit_name name{.tried = to == phase::trying,
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
    send(what, [this, id = who.id, to, limit](const reply& answer) {
        const auto still = acquires_.find(id);
        if (!still || still->phase != to)
            return; // the session is over
        if (to == phase::trying)
            on_tried(*still, answer, limit);
        else
            on_taken(*still, answer);
    });
}

// False: the caller has gone, or no number is left for further permits.
bool semaphore::take_over_permits(acquire& who, const reply& answer, permit_step stamped) {
    highest_ =
        std::max(highest_, who.keep(answer, answer.results[stamped].stat.mzxid, connections_));
    const bool has_numbers = highest_ < sequence_limit;
    if (!who.abandoned && has_numbers)
        return true;
    delete_permits(who);
    // The end of an abandoned acquire was reported before.
    fail(who, has_numbers ? failure::cancelled : failure::sequence_exhausted);
    return false;
}

void semaphore::try_free(acquire& who) {
    make_permits(who, phase::trying, {.what = step_kind::set, .path = queue_path_},
                 {.what = step_kind::set, .path = permits_path_});
}

void semaphore::on_tried(acquire& who, const reply& answer, const permit_limit& checked) {
    if (answer.code != zookeeper_code::ok)
        return on_try_failed(who, answer);
    const auto& queue = answer.results[set_queue].stat;
    const auto& permits = answer.results[set_permits].stat;
    const bool is_same_incarnation = permits.czxid == checked.incarnation;
    const bool fits =
        queue.children == 0 && permits.children + std::int64_t{who.wish.permits} <= checked.permits;
    const bool has_room = is_same_incarnation && fits;
    may_find_room_ = has_room;
    if (!take_over_permits(who, answer, set_permits))
        return start_all();
    if (has_room) {
        confirm(who);
    } else {
        delete_permits(who);
        who.phase.enter(phase::starting);
        if (is_same_incarnation)
            wait_or_fail(who, true);
        else if (count_start(who) && limit_.known() &&
                 limit_.known()->incarnation == checked.incarnation)
            limit_.forget(); // it is of an incarnation before: start_all() reads it again
    }
    start_all();
}

void semaphore::on_try_failed(acquire& who, const reply& answer) {
    who.phase.enter(phase::starting);
    const bool is_lost = outcome_unknown(answer.code);
    if (is_lost) {
        listing_.on_lost_answer(); // what it made has no owner: a sweep deletes it (S6)
        may_find_room_ = false;
    }
    if (who.abandoned) {
        fail(who, failure::cancelled);
        start_all();
    } else if (!is_lost) {
        on_refused(who, answer);
    }
}

void semaphore::on_refused(acquire& who, const reply& answer) {
    if (answer.code == zookeeper_code::throttled)
        return go_on_later();
    const auto why = who.refusal(answer);
    if (why == failure::wrong_kind) // a part is missing: another program may be deleting all
        return limit_.doubt();
    if (why == failure::sequence_exhausted)
        highest_ = sequence_limit;
    if (why != failure::none)
        return cancel(who.id, why, answer.code);
    limit_.forget();
    if (who.stands_in_line() || count_start(who))
        limit_.read();
}

// Too few permits are free, or others stand in the queue. Some of those nodes may be strays: nodes
// of no session, which another program made. Only the first in the queue looks for them. So once in
// a while a try_acquire stands in the queue, too, until it has looked (S3).
void semaphore::wait_or_fail(acquire& who, bool after_try) {
    const bool crowded = who.bytes.must_not_wait();
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

// ---- the limit was read ----

void semaphore::on_limit(bool differs) {
    if (differs)
        highest_ = -1; // the numbers start again in a new incarnation
    for (const auto id : acquires_.in({phase::in_line, phase::first}))
        if (const auto who = acquires_.find(id); who && limit_.known())
            apply_limit(*who);
    start_all();
    if (acquires_.any_stand_in_line())
        limit_.watch();
    if (differs)
        listing_.look();
}

// There is no semaphore. The first acquire that states a limit makes it (S8).
void semaphore::on_no_limit(std::uint64_t question) {
    // Acquires in the queue start anew: their tickets may be gone. They leave from the back, and
    // none of them becomes the first on the way.
    const auto leaving = acquires_.in({phase::in_line, phase::first});
    for (auto next = leaving.rbegin(); next != leaving.rend(); ++next)
        if (const auto who = acquires_.find(*next)) {
            leave_line(*who);
            who->phase.enter(phase::starting);
            count_start(*who);
        }
    if (const auto maker = acquires_.maker()) {
        if (count_start(*maker))
            limit_.make();
        return;
    }
    for (const auto id : acquires_.in({phase::starting}))
        if (const auto who = acquires_.find(id); who && question > who->questions)
            fail(*who, failure::no_limit);
    if (!acquires_.in({phase::starting}).empty())
        limit_.read_for_sure();
}

// ---- proof and grant ----

void semaphore::confirm(acquire& who) {
    who.phase.enter(phase::confirming);
    who.tries = 0;
    const bool is_shown = who.czxid != 0 && who.shown_on == connections_;
    prove(who, who.lock->before_grant(is_shown));
}

void semaphore::prove(acquire& who, grant_step next) {
    switch (next) {
    case grant_step::grant:
        // Without the czxid there is no token yet: confirm() begins again with check(), which reads
        // it.
        return who.czxid != 0 ? grant(who) : confirm(who);
    case grant_step::check:
        return check(who);
    case grant_step::restart:
        start_without_permits(who);
        return start_all();
    case grant_step::wait:
        return;
    }
}

void semaphore::check(acquire& who) {
    const auto confirmed = [this, id = who.id, attempt = who.attempt]() -> acquire* {
        const auto found = acquires_.find(id);
        return found && found->phase == phase::confirming && found->attempt == attempt ? found
                                                                                       : nullptr;
    };
    if (who.czxid == 0) // a sweep found the permits: one of them shows the token
        ask({.op = operation::get, .path = who.permits.front()},
            [this, confirmed](const reply& answer) {
                const auto still = confirmed();
                if (still && answer.code == zookeeper_code::ok)
                    still->czxid = answer.stat.czxid;
                else if (still && answer.code == zookeeper_code::no_auth) // perhaps for ever
                    cancel(still->id, failure::read_denied, answer.code);
            });
    request what{.op = operation::transact, .path = path_};
    for (const auto& node : who.permits)
        what.steps.push_back({.what = step_kind::check, .path = node});
    ask(what, [this, confirmed](const reply& answer) {
        if (const auto still = confirmed())
            prove(*still, still->lock->after_check(answer));
    });
}

void semaphore::start_without_permits(acquire& who) {
    delete_permits(who);
    who.phase.enter(phase::starting);
    count_start(who);
}

void semaphore::grant(acquire& which) {
    const auto who = acquires_.extract(which);
    held_.grant(*who);
}

// ---- sweeps, and the end of numbers ----

void semaphore::on_swept(const permit_listing::permits_by_taker& found,
                         const std::vector<std::string>& unknown) {
    leaving_.add_strays(unknown);
    for (const auto id : acquires_.in({phase::unresolved}))
        if (!found.contains(id)) // it has taken none, unless its transaction is carried out late
            acquires_.find(id)->phase.enter(phase::in_line);
    for (const auto& [id, permits] : found)
        if (const auto who = acquires_.find(id))
            adopt(*who, permits);
    start_all();
}

void semaphore::adopt(acquire& who, const std::vector<std::string>& permits) {
    who.phase.enter(phase::confirming);
    who.unknown_takes.clear();
    leave_line(who); // its ticket is gone, or is a later one that it needs no more
    who.permits = permits;
    who.czxid = 0;
    if (who.permits.size() == who.wish.permits)
        return confirm(who);
    start_without_permits(who);
}

void semaphore::restart_numbers() {
    const auto& limit = limit_.known();
    if (!limit || !acquires_.empty() || !held_.empty() || !leaving_.empty())
        return;
    const auto* const queue = family_.queues.find(queue_path_);
    // The highest number of a ticket counts only if it was given in this incarnation.
    const bool is_same = queue && queue->directory().incarnation() == limit->incarnation;
    if (std::max(highest_, is_same ? queue->directory().highest() : -1) >= sequence_high)
        limit_.restart_numbers();
}

} // namespace turnstile::protocol
