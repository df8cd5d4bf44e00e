// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/lock_queue.hpp"

#include "protocol/queue/line_taker.hpp"
#include "protocol/queue/predecessor_order.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace turnstile::protocol {

namespace {

// "/turn-<16 hex digits>-read-lock-<10 digits>", while the incarnation is not known: a reservation
// must never turn out too small.
constexpr std::size_t longest_name = 1 + 5 + 16 + 11 + 10;

} // namespace

lock_queue::lock_queue(machine_context& shared, std::string path, purpose why, ticket_naming naming)
    : context_(shared),
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
      leaving_(
          shared, path_,
          [this](const pending_delete& what, failure failed, zookeeper_code code) {
              on_gone(what, failed, code);
          },
          [this](const ticket_name& name) { on_ticket_gone(name); }),
      recovery_(shared, *this),
      order_(std::make_unique<predecessor_order>(
          shared, *this, [this](ticket& first) { on_first_in_line(first); })) {}

void lock_queue::enter(std::unique_ptr<ticket> newcomer) {
    ++uses_;
    auto& who = *newcomer;
    tickets_.insert(std::move(newcomer));
    context_.tickets.emplace(who.id, &who);
    if (!who.patient && order_->is_blocked(who))
        return cancel(who, failure::would_block);
    // Who may not wait for room passes those that do, and stands in line with what is reserved.
    const bool may_wait = context_.rules.may_wait_for_room(who.later_part);
    const bool passes = waiting_for_budget_.empty() || !may_wait;
    const bool busy = bytes_taken() && may_wait;
    if (passes && context_.bytes.fits(cost_of_one(), busy)) {
        who.in_reserve = may_wait && !context_.bytes.fits(cost_of_one(), true);
        take_bytes(who);
        return place(who);
    }
    if (passes && !busy) {
        retry_undeletable(); // their bytes count
        return cancel(who, failure::session_full);
    }
    if (!who.patient)
        return cancel(who, failure::would_block);
    who.phase.take(ticket_step::found_no_room);
    waiting_for_budget_.push_back(who.id);
    note_budget_wait();
}

void lock_queue::path_found(const lock_directory& by) {
    directory_.found(by);
    learn_incarnation(*by.incarnation());
}

void lock_queue::path_believed(std::int64_t incarnation) {
    if (incarnation != 0 && !directory_.incarnation() && !directory_.is_busy())
        directory_.found(incarnation);
}

ticket* lock_queue::to_share(bool patient, std::int64_t wanted, bool later_part) const {
    // Nobody passes an exclusive acquire of this session, which is the last one then.
    const auto last = std::find_if(tickets_.rbegin(), tickets_.rend(),
                                   [](const auto& each) { return !each->abandoned; });
    if (last == tickets_.rend())
        return nullptr;
    auto& who = **last;
    // What may have to line up again does so in the incarnation that its first caller wants.
    const bool stays =
        who.phase == ticket_phase::held && (wanted == 0 || wanted == who.name.incarnation);
    if (!stays && who.wanted != wanted)
        return nullptr;
    if (who.phase == ticket_phase::waiting_for_budget &&
        !context_.rules.may_wait_for_room(later_part))
        return nullptr;
    const auto most = context_.options.joins;
    const bool may = context_.rules.may_share(who, most, patient, context_.lease_is_fresh());
    return may && !has_writer_behind(who) ? &who : nullptr;
}

bool lock_queue::has_writer_behind(const ticket& joined) const {
    const bool all_stand = standing_.size() == tickets_.size();
    if (all_stand && *std::prev(standing_.end()) == &joined)
        return false; // as nearly always
    return std::any_of(tickets_.begin(), tickets_.end(),
                       [&](const auto& each) { return context_.rules.is_passed(*each, joined); });
}

bool lock_queue::holds_against(ticket_kind kind) const {
    const auto holds = [this, kind](const ticket* who) {
        return who && &who->where == this && who->phase == ticket_phase::held &&
               (kind == ticket_kind::exclusive || who->exclusive());
    };
    if (context_.held.size() > standing_.size())
        return std::any_of(standing_.begin(), standing_.end(), holds);
    return std::any_of(context_.held.begin(), context_.held.end(),
                       [&](ticket_id id) { return holds(context_.find(id)); });
}

void lock_queue::note_budget_wait() {
    if (waiting_for_budget_.empty())
        context_.paths_waiting_for_budget.erase(path_);
    else
        context_.paths_waiting_for_budget.insert(path_);
}

void lock_queue::admit() {
    if (waiting_for_budget_.empty())
        return; // nor is the path among those where somebody waits
    while (!waiting_for_budget_.empty()) {
        const auto who = context_.find(waiting_for_budget_.front());
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
    return (own_ticket != standing_.end() && (*own_ticket)->may_be(name)) ||
           leaving_.contains(name) || undeletable_.contains(name);
}

std::size_t lock_queue::cost_of_one() const {
    if (!directory_.incarnation())
        return ticket_cost(context_.options.chroot_bytes + path_.size() + longest_name);
    const ticket_name name{.incarnation = *directory_.incarnation(),
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

void lock_queue::give_bytes(std::size_t bytes) {
    context_.bytes.give(bytes);
    context_.bytes_freed = true;
}

void lock_queue::cancel(ticket& who, failure why, zookeeper_code code) {
    using enum ticket_phase;
    if (who.phase >= held || who.abandoned)
        return;
    const auto id = who.id;
    const auto taker = who.taker;
    const auto callers = context_.callers.take(who);
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
        if (context_.rules.deletes_cancelled_ticket(why))
            leave(who);
        else
            standing_.erase(&who);
        erase(who);
    }
    if (taker)
        taker->on_line_failed(id, why, code);
    else
        tell_failed(callers, why, code);
}

void lock_queue::cancel(ticket& who, ticket_id caller, failure why) {
    if (who.upgrade_caller() == caller)
        return end_upgrade(who, why);
    if (who.phase >= ticket_phase::held || who.abandoned)
        return;
    if (!context_.callers.leave(who, caller))
        return cancel(who, why);
    context_.events.on_acquire_failed(caller, why, zookeeper_code::ok);
}

void lock_queue::tell_failed(const std::vector<ticket_id>& callers, failure why,
                             zookeeper_code code) {
    for (const auto id : callers)
        context_.events.on_acquire_failed(id, why, code);
}

void lock_queue::release(ticket& who, ticket_id caller) {
    if (who.upgrade_caller() == caller)
        who.end_upgrade(); // whoever waits for it is told by the release
    const bool was_lost = who.phase == ticket_phase::lost; // told, and nothing to wait for
    const bool others =
        context_.callers.leave(who, caller) && context_.rules.stays_for_other_holders();
    if (was_lost && !others) {
        leave(who);
        erase(who);
    }
    if (was_lost || others)
        return context_.events.on_released(
            caller, was_lost ? failure::lost_deadline : failure::none, zookeeper_code::ok);
    context_.held.erase(who.id);
    pass_on(who, caller);
}

void lock_queue::pass_on(ticket& who, ticket_id notify) {
    const auto heirs = order_->heirs_of(who);
    const auto kind = who.kind;
    const bool checked = who.exclusive() && context_.rules.checks_local_successor();
    delete_ticket(who, order_->form_of_release(who), notify,
                  checked ? heirs : std::vector<ticket*>{});
    order_->forget(who);
    erase(who);
    order_->on_release(kind, heirs);
}

void lock_queue::leave_with_transaction(ticket& who) {
    const auto heirs = order_->heirs_of(who);
    const auto kind = who.kind;
    standing_.erase(&who);
    order_->forget(who);
    erase(who);
    order_->on_release(kind, heirs);
}

void lock_queue::leave(ticket& who) {
    const auto heirs = order_->heirs_of(who);
    delete_ticket(who, delete_form::plain, 0);
    order_->on_leave(who, heirs);
}

void lock_queue::on_ticket_gone(const ticket_name& name) {
    const auto found = standing_.find(name.sequence);
    if (found != standing_.end() && (*found)->name == name && !(*found)->is_changing())
        on_deleted_outside(**found);
}

void lock_queue::delete_ticket(ticket& who, delete_form form, ticket_id notify,
                               const std::vector<ticket*>& successors) {
    standing_.erase(&who);
    --placed_;
    std::vector<ticket_name> names;
    names.reserve(successors.size());
    for (const auto next : successors)
        names.push_back(next->name);
    leaving_.add({.name = who.name,
                  .successors = std::move(names),
                  .czxid = who.czxid,
                  .form = form,
                  .cost = std::exchange(who.cost, 0),
                  .notify = notify,
                  .may_be_downgraded = who.is_downgrading()});
}

void lock_queue::delete_unknown(const ticket_name& name, std::int64_t czxid) {
    if (!knows(name))
        leaving_.add({.name = name, .czxid = czxid});
}

void lock_queue::erase(ticket& who) {
    context_.callers.forget(who);
    if (who.cost > 0) {
        give_bytes(who.cost);
        --placed_;
    }
    forget_own_watch(who);
    context_.tickets.erase(who.id);
    tickets_.erase(tickets_.find(who.id));
}

void lock_queue::on_gone(const pending_delete& what, failure why, zookeeper_code code) {
    if (why != failure::release_denied)
        give_bytes(what.cost);
    if (what.notify != 0)
        context_.events.on_released(what.notify, why, code);
    if (why == failure::release_denied) {
        undeletable_.add(what);
        context_.events.on_note(note_level::warning,
                                "DELETE is denied, the ticket stays until the session ends: " +
                                    path_ + '/' + what.name.str());
    }
    if (what.denied)
        undeletable_.answered();
    if (undeletable_.stand())
        on_undeletable();
    else if (what.denied && !undeletable_.open())
        place_unplaced();
    admit(); // the oldest waiter for the budget of this path comes first
    if (idle())
        directory_.restart_counter();
}

void lock_queue::retry_undeletable() {
    for (auto& what : undeletable_.retry())
        leaving_.add(std::move(what));
}

// Whoever is not the owner yet would wait until the end of its own session.
void lock_queue::on_undeletable() {
    if (undeletable_.open())
        return; // the answers to the others decide with this one
    std::vector<ticket_id> waiting;
    for (const auto& who : tickets_)
        if (context_.rules.waits_behind_undeletable(*who))
            waiting.push_back(who->id);
    for (auto next = waiting.rbegin(); next != waiting.rend(); ++next) // nobody inherits
        if (const auto who = context_.find(*next))
            cancel(*who, failure::release_denied, zookeeper_code::no_auth);
}

} // namespace turnstile::protocol
