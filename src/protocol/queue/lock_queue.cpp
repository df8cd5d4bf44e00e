// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <iterator>

namespace turnstile::protocol {

namespace {

// Enqueues in a row of one acquire before the lock path counts as unstable.
constexpr std::size_t most_tries = 64;

/// A ticket whose name tells another incarnation than the lock path has may not stay.
bool fits_path(const ticket_name& name, std::int64_t incarnation) {
    return name.incarnation == incarnation;
}

/// One more reader shares the last ticket of its session: one that is held, or that it may wait by.
/// So many in all, lest others that wait behind it wait for ever. What has a limit is lost alone.
bool may_share(const ticket& last, std::size_t most_joins, bool patient, bool lease_is_fresh) {
    if (last.exclusive() || last.phase == ticket_phase::lost || last.limit ||
        last.joins >= most_joins)
        return false;
    if (last.phase != ticket_phase::held)
        return patient && last.options.wait;
    // The token of one that was downgraded is a writer's, and that of its node is above those in
    // the queue.
    return !last.name.downgraded && lease_is_fresh && !last.unseen;
}

/// A writer of the session that would be passed by a reader that joins this ticket. It waits behind
/// the ticket, or its node is still to be asked for, as after a cut that left its create unknown.
bool is_passed(const ticket& writer, const ticket& joined) {
    if (!writer.exclusive() || writer.abandoned || writer.phase >= ticket_phase::held)
        return false;
    if (joined.has_node())
        return !writer.has_node() || joined.name.sequence < writer.name.sequence;
    return joined.phase == ticket_phase::creating && writer.phase != ticket_phase::creating &&
           !writer.has_node();
}

} // namespace

lock_queue::lock_queue(session_context& shared, std::string path, ticket_table& table, purpose why,
                       ticket_naming naming)
    : context_(shared),
      table_(table),
      path_(std::move(path)),
      purpose_(why),
      naming_(naming),
      directory_(
          shared, path_,
          [this] {
              learn_incarnation(*directory_.incarnation());
              place_unplaced();
          },
          [this](failure failed, zookeeper_code code) { fail_unplaced(failed, code); },
          why == purpose::lock),
      leaving_(shared, *this, path_),
      recovery_(shared, table, *this),
      order_(shared, table, *this) {}

void lock_queue::enter(ticket& who) {
    ++uses_;
    if (!who.options.wait && order_.is_blocked(who))
        return cancel(who, failure::would_block);
    // Who may not wait for room passes those that do, and stands in line with what is reserved.
    const bool may_wait = !who.options.later_part;
    const bool passes = waiting_for_budget_.empty() || !may_wait;
    const bool busy = bytes_taken() && may_wait;
    if (const auto cost = cost_of_one(); passes && context_.bytes.fits(cost, busy)) {
        who.in_reserve = may_wait && !context_.bytes.fits(cost, true);
        take_bytes(who);
        return place(who);
    }
    if (passes && !busy)
        return cancel(who, failure::session_full);
    if (!who.options.wait)
        return cancel(who, failure::would_block);
    who.phase.enter(ticket_phase::waiting_for_budget);
    waiting_for_budget_.push_back(who.id);
    note_budget_wait();
}

ticket& lock_queue::add(ticket_id id) {
    auto& who = tickets_.try_emplace(id, id, *this, context_.clock).first->second;
    table_.add(who);
    return who;
}

void lock_queue::path_found(const lock_directory& by) {
    directory_.found(by);
    learn_incarnation(*by.incarnation());
}

void lock_queue::path_believed(std::int64_t incarnation) {
    if (incarnation != 0 && !directory_.incarnation() && !directory_.is_busy())
        directory_.found(incarnation);
}

ticket* lock_queue::to_share(const acquire_request& what) {
    if (what.max_hold)
        return nullptr;
    // A reader does not pass an exclusive acquire of this session, which is the last one then.
    const auto last = std::find_if(tickets_.rbegin(), tickets_.rend(),
                                   [](const auto& each) { return !each.second.abandoned; });
    if (last == tickets_.rend())
        return nullptr;
    auto& who = last->second;
    // What may have to line up again does so in the incarnation that its first caller wants.
    const bool stays = who.phase == ticket_phase::held &&
                       (what.incarnation == 0 || what.incarnation == who.name.incarnation);
    if (!stays && who.options.incarnation != what.incarnation)
        return nullptr;
    if (who.phase == ticket_phase::waiting_for_budget && what.later_part)
        return nullptr;
    const bool may =
        may_share(who, context_.options.joins, what.patient, context_.lease_is_fresh());
    return may && !has_writer_behind(who) ? &who : nullptr;
}

bool lock_queue::has_writer_behind(const ticket& joined) const {
    const bool all_stand = standing_.size() == tickets_.size();
    if (all_stand && std::prev(standing_.end())->second == &joined)
        return false; // as nearly always
    return std::ranges::any_of(tickets_,
                               [&](const auto& each) { return is_passed(each.second, joined); });
}

bool lock_queue::holds_against(ticket_kind kind) const {
    for (const auto& [sequence, who] : standing_) { // holders come first
        if (who->phase == ticket_phase::held)
            return kind == ticket_kind::exclusive || who->exclusive();
        if (who->exclusive())
            return false;
    }
    return false;
}

void lock_queue::note_budget_wait() {
    if (waiting_for_budget_.empty())
        table_.paths_waiting_for_budget.erase(path_);
    else
        table_.paths_waiting_for_budget.insert(path_);
}

void lock_queue::admit() {
    while (!waiting_for_budget_.empty()) {
        const auto who = table_.find(waiting_for_budget_.front());
        if (!who) {
            waiting_for_budget_.pop_front();
            continue;
        }
        if (!context_.bytes.fits(cost_of_one(), bytes_taken()))
            break;
        waiting_for_budget_.pop_front();
        take_bytes(*who);
        place(*who);
    }
    note_budget_wait();
}

bool lock_queue::knows(const ticket_name& name) const {
    const auto own_ticket = standing_.find(name.sequence);
    return (own_ticket != standing_.end() && own_ticket->second->may_be(name)) ||
           leaving_.contains(name) || leaving_.is_undeletable(name);
}

std::size_t lock_queue::cost_of_one() const {
    // While the incarnation is not known it is the longest: a reservation must never be too small.
    const ticket_name name{.incarnation = directory_.incarnation().value_or(-1),
                           .guarded = context_.options.guarded,
                           .kind = ticket_kind::shared,
                           .naming = naming_};
    return ticket_cost(context_.options.chroot_bytes + path_.size() + 1 + name.length());
}

void lock_queue::take_bytes(ticket& who) {
    who.cost = static_cast<std::uint32_t>(cost_of_one());
    context_.bytes.take(who.cost);
    ++placed_;
}

void lock_queue::cancel(ticket& who, failure why, zookeeper_code code) {
    using enum ticket_phase;
    if (who.phase >= held || who.abandoned)
        return;
    const auto id = who.id;
    const auto taker = who.taker;
    const auto callers = table_.take_callers(who);
    switch (who.phase) {
    case creating:
    case unresolved:
        who.abandoned = true;
        who.deadline.cancel();
        break;
    case waiting_for_budget:
        std::erase(waiting_for_budget_, id);
        note_budget_wait();
        erase(who);
        break;
    case unplaced:
        erase(who);
        break;
    default:
        leave(who);
        erase(who);
    }
    tell_failed(id, taker, callers, why, code);
}

void lock_queue::cancel(ticket& who, ticket_id caller, failure why) {
    if (who.wishes.upgrade_caller == caller)
        return end_upgrade(who, why);
    if (who.phase >= ticket_phase::held || who.abandoned)
        return;
    if (!table_.leave(who, caller))
        return cancel(who, why);
    context_.events.on_acquire_failed(caller, why, zookeeper_code::ok);
}

void lock_queue::tell_failed(ticket_id id, line_taker* taker, const std::vector<ticket_id>& callers,
                             failure why, zookeeper_code code) {
    if (taker)
        return taker->on_line_failed(id, why, code);
    for (const auto caller : callers)
        context_.events.on_acquire_failed(caller, why, code);
}

void lock_queue::end_hold(ticket& who, failure why) {
    context_.held.erase(who.id);
    const auto callers = table_.take_callers(who);
    end_changes(who, why);
    erase(who);
    for (const auto id : callers)
        context_.events.on_lost(id, why);
}

void lock_queue::release(ticket& who, ticket_id caller) {
    if (who.wishes.upgrade_caller == caller)
        who.end_upgrade(); // the release answers its caller
    const auto why = who.why_lost;
    const bool was_lost = why != failure::none;    // reported, and nothing to wait for
    const bool others = table_.leave(who, caller); // they hold by the same ticket
    if (was_lost && !others) {
        leave(who);
        erase(who);
    }
    if (was_lost || others)
        return context_.events.on_released(caller, why, zookeeper_code::ok);
    context_.held.erase(who.id);
    const auto successors = order_.local_successors(who);
    std::vector<ticket_name> next; // handed over to them only where they still stand
    if (who.keeps_readers_out())
        std::ranges::transform(successors, std::back_inserter(next), &ticket::name);
    delete_ticket(who, who.name.hands_over() ? delete_form::release : delete_form::plain, caller,
                  std::move(next));
    hand_over(who, successors);
}

void lock_queue::leave_with_transaction(ticket& who) {
    const auto successors = order_.local_successors(who);
    standing_.erase(who.name.sequence);
    hand_over(who, successors);
}

void lock_queue::hand_over(ticket& who, const std::vector<ticket*>& successors) {
    const bool kept_readers_out = who.keeps_readers_out();
    order_.forget(who);
    erase(who);
    order_.on_release(kept_readers_out, successors);
}

void lock_queue::leave(ticket& who) {
    const auto successors = order_.local_successors(who);
    delete_ticket(who, delete_form::plain, 0);
    order_.on_leave(who, successors);
}

std::vector<ticket_name> lock_queue::holders_behind(const ticket_name& name) const {
    std::vector<ticket_name> found;
    for (auto next = standing_.upper_bound(name.sequence); next != standing_.end(); ++next) {
        const auto& who = *next->second;
        const bool holds = who.phase >= ticket_phase::confirming;
        if (!holds && who.exclusive())
            break; // no other holds the lock behind this one
        if (holds && !who.is_changing() && exclude_each_other(who.name, name))
            found.push_back(who.name);
    }
    return found;
}

ticket* lock_queue::find_standing(const ticket_name& name) const {
    const auto found = standing_.find(name.sequence);
    return found != standing_.end() && found->second->name == name ? found->second : nullptr;
}

void lock_queue::on_ticket_gone(const ticket_name& name) {
    if (const auto who = find_standing(name); who && !who->is_changing())
        on_deleted_outside(*who);
}

void lock_queue::delete_ticket(ticket& who, delete_form form, ticket_id notify,
                               std::vector<ticket_name> next) {
    standing_.erase(who.name.sequence);
    --placed_;
    leaving_.add({.name = who.name,
                  .czxid = who.czxid,
                  .form = form,
                  .cost = std::exchange(who.cost, 0),
                  .notify = notify,
                  .may_be_downgraded = who.is_downgrading()},
                 std::move(next));
}

void lock_queue::delete_unknown(const ticket_name& name, std::int64_t czxid) {
    if (!knows(name))
        leaving_.add({.name = name, .czxid = czxid});
}

void lock_queue::erase(ticket& who) {
    if (who.cost > 0) {
        context_.bytes.give(who.cost);
        --placed_;
    }
    forget_own_watch(who);
    table_.erase(who);
    tickets_.erase(who.id);
}

void lock_queue::on_gone() {
    begin_downgrade();
    admit(); // the oldest waiter for the budget of this path comes first
    if (resting())
        directory_.restart_counter();
}

// What becomes of a queue's tickets when the connection, or the session, comes and goes.

void lock_queue::on_connected() {
    expect_late_downgrades();
    leaving_.on_connected();
    recovery_.on_connected();
    place_unplaced();
    for (auto& [number, who] : tickets_)
        if (who.has_node()) {
            who.unseen = true;
            watch_own_later(who, context_.random_spread());
            if (who.is_downgrading())
                ask_for_downgraded(who);
        }
    begin_downgrade();
}

void lock_queue::on_disconnected() {
    directory_.on_disconnected();
    leaving_.on_disconnected();
    recovery_.on_disconnected();
    for (auto& [number, who] : tickets_) {
        if (who.before)
            who.before->armed = false;
        who.watches_itself = own_watch_state::none;
        who.own_watch.cancel();
    }
}

void lock_queue::collect_searches(searches& due) const {
    using enum ticket_phase;
    for (auto& [number, who] : tickets_)
        if (who.phase == finding_predecessor || who.phase == waiting || who.phase == confirming)
            due.emplace_back(who.id, who.epoch);
}

void lock_queue::abandon_all() {
    waiting_for_budget_.clear();
    note_budget_wait();
    standing_.clear();
    for (auto next = tickets_.begin(); next != tickets_.end();) {
        auto& who = next++->second;
        if (who.phase == ticket_phase::held) {
            end_hold(who, failure::session_closed);
            continue;
        }
        const bool is_waited_for = !who.abandoned && who.phase != ticket_phase::lost;
        const auto id = who.id;
        const auto taker = who.taker;
        const auto callers = table_.take_callers(who);
        erase(who);
        if (is_waited_for)
            tell_failed(id, taker, callers, failure::session_closed, zookeeper_code::ok);
    }
}

void lock_queue::on_expired(failure releases) {
    // They go with the session: what is reported next must not find them standing.
    leaving_.on_expired(releases);
    recovery_.on_expired();
    standing_.clear();
    for (auto next = tickets_.begin(); next != tickets_.end();) {
        auto& who = next++->second;
        if (who.phase == ticket_phase::held)
            end_hold(who, failure::session_expired);
        else if (who.abandoned || who.phase == ticket_phase::lost)
            erase(who);
        else if (who.phase != ticket_phase::waiting_for_budget)
            restart(who);
    }
}

// Make a ticket, and learn from the same transaction whether it stands alone.
// An enqueue is multi(set_data(lock path), create(ticket)). The set's stat is the lock path's right
// before the create: its czxid is the incarnation, its numChildren says who stands there, and its
// mzxid is the transaction, thus the ticket's czxid.

std::string lock_queue::data_of(const ticket& who) const {
    return context_.options.who.str(who.request.str(), who.value);
}

void lock_queue::place(ticket& who) {
    who.phase.enter(ticket_phase::unplaced);
    if (who.options.in_batch) // made in one transaction with others, and not a second time
        return cancel(who, failure::taken_back);
    if (!context_.requests.connected())
        return;
    if (!directory_.incarnation())
        return directory_.find();
    // Each ticket is made in the incarnation that is asked for here.
    if (who.options.incarnation != 0 && who.options.incarnation != *directory_.incarnation())
        return cancel(who, failure::path_renewed);
    if (!table_.enqueues.may_send(who.id))
        return table_.enqueues.wait(who.id);
    if (++who.tries > most_tries)
        return cancel(who, failure::path_unstable);
    begin_create(who, *directory_.incarnation());
    table_.enqueues.sent();
    const request what{
        .op = operation::enqueue, .path = who.name.prefix_under(path_), .data = data_of(who)};
    context_.requests.send(what, [this, id = who.id, epoch = who.epoch](const reply& answer) {
        table_.enqueues.answered();
        if (const auto found = table_.find(id, epoch))
            on_created(*found, answer);
    });
}

void lock_queue::begin_create(ticket& who, std::int64_t incarnation) {
    who.phase.enter(ticket_phase::creating);
    who.name = {.incarnation = incarnation,
                .guarded = context_.options.guarded,
                .kind = who.kind,
                .naming = naming_};
    who.floor = directory_.highest();
    ++who.epoch;
}

void lock_queue::place_next(ticket_table& table) {
    while (const auto id = table.enqueues.next())
        if (const auto who = table.find(*id); who && who->phase == ticket_phase::unplaced)
            who->where.place(*who);
}

void lock_queue::place_unplaced() {
    for (const auto id : tickets_in(ticket_phase::unplaced))
        if (const auto who = table_.find(id))
            place(*who);
}

void lock_queue::fail_unplaced(failure why, zookeeper_code code) {
    for (const auto id : tickets_in(ticket_phase::unplaced))
        if (const auto who = table_.find(id))
            cancel(*who, why, code);
}

void lock_queue::on_created(ticket& who, const reply& answer) {
    if (outcome_unknown(answer.code)) {
        who.phase.enter(ticket_phase::unresolved); // looked for before it is made again
        return;
    }
    using enum zookeeper_code;
    if (answer.code == ok)
        return on_enqueued(who, answer);
    who.phase.enter(ticket_phase::unplaced);
    if (who.abandoned)
        return erase(who);
    if (answer.code == no_node) { // reaped, or deleted by somebody
        directory_.vanished();
        return place(who);
    }
    switch (answer.code) {
    case no_auth:
        return cancel(who, answer.set_denied ? failure::write_denied : failure::create_denied,
                      answer.code);
    case node_exists: // the server's counter sticks at its end, where somebody's ticket stands
        cancel(who, failure::sequence_exhausted);
        directory_.seen(sequence_limit);
        return directory_.restart_counter();
    default:
        return cancel(who, failure::server_error, answer.code);
    }
}

void lock_queue::on_enqueued(ticket& who, const reply& answer) {
    const auto id = who.id;
    learn_incarnation(answer.stat.czxid);
    const auto sequence = appended_sequence(answer.path);
    if (directory_.has_gone_back(sequence)) {
        context_.events.on_note(log_level::error,
                                "the servers have lost transactions: a number was given again: " +
                                    answer.path);
        directory_.forget_numbers();
        // With this node's number those of the tickets behind it are free again: they are gone.
        remove_vanished([&](const ticket& other) { return other.name.sequence >= sequence; },
                        evidence::certain);
    }
    settle(who, answer.stat.mzxid, sequence);
    if (!table_.find(id) || who.phase != ticket_phase::finding_predecessor)
        return; // abandoned, or refused
    if (!fits_path(who.name, answer.stat.czxid))
        return leave_wrong_incarnation(who);
    who.tries = 0;
    who.ahead = children_ = answer.stat.children;
    if (answer.stat.children > 0 && who.taker)
        who.taker->on_queued(id, answer.stat.children);
    else if (answer.stat.children > 0)
        context_.events.on_queued(id, answer.stat.children);
    order_.on_enqueued(who, answer.stat.children);
}

// Of the children some were made after it, and all of these may stand there still. Who was found to
// be near stays so: nobody comes in before it.
void lock_queue::learn_places(const reply& answer) {
    const bool known =
        answer.code == zookeeper_code::ok && directory_.incarnation() == answer.stat.czxid;
    for (const auto& [sequence, who] : standing_) {
        const auto since = answer.stat.next_sequence() - sequence;
        is_behind(*who, known ? std::max(0, answer.stat.children - since) : 0);
    }
    children_ = answer.stat.children;
}

void lock_queue::is_behind(ticket& who, std::int32_t ahead) {
    if (ahead >= who.ahead)
        return;
    who.ahead = ahead;
    if (ahead > 0 && who.phase == ticket_phase::waiting && !who.taker)
        ticket_table::for_each_caller(
            who, [&](ticket_id id, instant) { context_.events.on_moved_up(id, ahead); });
}

// Each ticket's name was checked against the path in the transaction that made it. If the path is
// another now, the old one was deleted, and with it all that stood there.
void lock_queue::learn_incarnation(std::int64_t incarnation) {
    directory_.found(incarnation);
    if (std::exchange(looked_for_, incarnation) == incarnation)
        return; // each that came since was checked when it came
    remove_vanished([&](const ticket& other) { return !fits_path(other.name, incarnation); },
                    evidence::certain);
}

std::vector<ticket_id> lock_queue::tickets_in(ticket_phase phase) const {
    std::vector<ticket_id> result;
    for (auto& [number, who] : tickets_)
        if (who.phase == phase)
            result.push_back(who.id);
    return result;
}

void lock_queue::adopt(ticket& who, const ticket_name& name, std::int64_t czxid,
                       std::int64_t incarnation) {
    const auto id = who.id;
    who.name = name;
    ++who.epoch;
    settle(who, czxid, name.sequence);
    const auto still = table_.find(id);
    if (!still || still->phase != ticket_phase::finding_predecessor)
        return; // an abandoned ticket has left by now
    if (!fits_path(still->name, incarnation))
        return leave_wrong_incarnation(*still);
    still->tries = 0;
    order_.search(*still);
}

void lock_queue::create_failed(ticket& who) {
    if (who.abandoned)
        erase(who);
    else
        place(who);
}

void lock_queue::leave_wrong_incarnation(ticket& who) {
    // The path was made anew meanwhile: a name with the old incarnation may not stay.
    leave(who);
    restart(who);
}

void lock_queue::settle(ticket& who, std::int64_t czxid, std::int32_t sequence) {
    who.name.sequence = sequence;
    who.czxid = czxid;
    who.unseen = false;
    who.phase.enter(ticket_phase::finding_predecessor);
    directory_.seen(sequence < 0 ? sequence_limit : sequence);
    if (who.abandoned) {
        delete_ticket(who, delete_form::plain, 0);
        return erase(who);
    }
    standing_.insert_or_assign(sequence, &who); // of two with one number the newer one stands
    if (sequence < 0 || sequence >= sequence_limit) {
        cancel(who, failure::sequence_exhausted);
        // In the same flight as the ticket's deletion: a new try comes behind it.
        return directory_.restart_counter();
    }
    watch_own_later(who, lease_plan::spread(context_.lease.timeout()));
}

void lock_queue::restart(ticket& who) {
    order_.forget(who);
    forget_own_watch(who);
    who.phase.enter(ticket_phase::unplaced);
    ++who.epoch;
    who.change = own_change::none;
    const auto id = who.id;
    if (who.taker)
        who.taker->on_place_lost(id);
    if (!table_.find(id))
        return;        // it was cancelled
    if (who.cost == 0) // its bytes left with the old node
        take_bytes(who);
    place(who);
}

} // namespace turnstile::protocol
