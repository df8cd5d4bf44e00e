#include "protocol/queue/line.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

namespace {

// "/turn-<16 hex digits>-read-lock-<10 digits>", while the incarnation is not known: a reservation
// must never turn out too small.
constexpr std::size_t longest_name = 1 + 5 + 16 + 11 + 10;

} // namespace

line::line(core& shared, std::string path)
    : core_(shared),
      path_(std::move(path)),
      directory_(
          shared, path_,
          [this] {
              learn_incarnation(*directory_.incarnation());
              place_unplaced();
          },
          [this](failure why, zookeeper_code code) { fail_unplaced(why, code); }),
      leaving_(shared, path_,
               [this](const departure& what, failure why, zookeeper_code code) {
                   on_gone(what, why, code);
               }),
      recovery_(shared, *this) {}

void line::enter(std::unique_ptr<ticket> newcomer) {
    ++uses_;
    auto& who = *newcomer;
    tickets_.emplace(who.id, std::move(newcomer));
    core_.tickets.emplace(who.id, &who);
    if (!who.patient && is_blocked_by_own(who))
        return cancel(who, failure::would_block);
    const bool busy = bytes_taken();
    if (local_.empty() && core_.bytes.fits(cost_of_one(), busy)) {
        who.in_reserve = !core_.bytes.fits(cost_of_one(), true);
        take_bytes(who);
        return place(who);
    }
    if (!busy && local_.empty()) {
        retry_denied(); // their bytes count
        return cancel(who, failure::session_full);
    }
    if (!who.patient)
        return cancel(who, failure::would_block);
    who.phase = ticket_phase::local;
    local_.push_back(who.id);
    note_hunger();
}

void line::note_hunger() {
    if (local_.empty())
        core_.hungry.erase(path_);
    else
        core_.hungry.insert(path_);
}

bool line::is_blocked_by_own(const ticket& who) const {
    if (who.exclusive())
        return !by_sequence_.empty();
    return std::any_of(by_sequence_.begin(), by_sequence_.end(),
                       [](const auto& entry) { return entry.second->exclusive(); });
}

void line::admit() {
    while (!local_.empty()) {
        const auto who = core_.find(local_.front());
        if (!who) {
            local_.pop_front();
            continue;
        }
        if (!core_.bytes.fits(cost_of_one(), bytes_taken()))
            break;
        local_.pop_front();
        take_bytes(*who);
        place(*who);
    }
    note_hunger();
}

bool line::knows(const ticket_name& name) const {
    const auto own_ticket = by_sequence_.find(name.sequence);
    return (own_ticket != by_sequence_.end() && own_ticket->second->name == name) ||
           leaving_.contains(name) || denied_.contains(name);
}

std::size_t line::cost_of_one() const {
    if (!directory_.incarnation())
        return ticket_cost(core_.options.chroot_bytes + path_.size() + longest_name);
    const ticket_name name{.guarded = core_.options.guarded,
                           .incarnation = *directory_.incarnation(),
                           .kind = ticket_kind::shared};
    return ticket_cost(core_.options.chroot_bytes + path_.size() + 1 + name.length());
}

void line::take_bytes(ticket& who) {
    who.cost = cost_of_one();
    core_.bytes.take(who.cost);
    ++placed_;
}

void line::give_bytes(std::size_t bytes) {
    core_.bytes.give(bytes);
    core_.bytes_freed = true;
}

void line::cancel(ticket& who, failure why, zookeeper_code code) {
    using enum ticket_phase;
    const auto id = who.id;
    if (who.phase >= held || who.abandoned)
        return;
    switch (who.phase) {
    case creating:
    case unresolved:
        who.abandoned = true;
        who.limit.cancel();
        break;
    case local:
        std::erase(local_, id);
        note_hunger();
        erase(who);
        break;
    case unplaced:
        erase(who);
        break;
    default:
        if (core_.mutated(mutant::cancel_leaves_ticket) ||
            (core_.mutated(mutant::try_leaves_ticket) && why == failure::would_block))
            by_sequence_.erase(who.name.sequence);
        else
            leave(who);
        erase(who);
    }
    core_.events.on_acquire_failed(id, why, code);
}

void line::release(ticket& who) {
    if (who.phase == ticket_phase::lost) { // told, and nothing to wait for
        const auto id = who.id;
        leave(who);
        erase(who);
        return core_.events.on_released(id, failure::lost_deadline, zookeeper_code::ok);
    }
    const auto heirs = neighbours_of(who);
    const bool hands_over =
        (who.exclusive() || core_.mutated(mutant::reader_releases_like_owner)) && who.name.guarded;
    depart(who, hands_over ? departure_form::release : departure_form::plain, who.id);
    core_.held.erase(who.id);
    const bool exclusive = who.exclusive();
    erase(who);
    // The smallest ticket belongs to this session either way: no need to wait for the transaction.
    if (core_.mutated(mutant::neighbours_not_passed_on))
        return;
    for (const auto heir : heirs)
        exclusive ? own(*heir) : look(*heir);
}

void line::leave(ticket& who) {
    const auto heirs = neighbours_of(who);
    forget_before(who); // keeps what an heir may inherit
    depart(who, departure_form::plain, 0);
    pass_on(who, heirs);
}

void line::depart(ticket& who, departure_form form, ticket_id notify) {
    by_sequence_.erase(who.name.sequence);
    --placed_;
    leaving_.add({.name = who.name,
                  .czxid = who.czxid,
                  .form = form,
                  .cost = std::exchange(who.cost, 0),
                  .notify = notify});
}

void line::erase(ticket& who) {
    if (who.cost > 0) {
        give_bytes(who.cost);
        --placed_;
    }
    forget_own_watch(who);
    core_.tickets.erase(who.id);
    tickets_.erase(who.id);
}

void line::on_gone(const departure& what, failure why, zookeeper_code code) {
    if (why != failure::release_denied)
        give_bytes(what.cost);
    if (what.notify != 0)
        core_.events.on_released(what.notify, why, code);
    if (why == failure::release_denied) {
        denied_.add(what);
        core_.events.on_note(note_level::warning,
                             "DELETE is denied, the ticket stays until the session ends: " + path_ +
                                 '/' + what.name.str());
    }
    if (what.denied)
        denied_.answered();
    if (denied_.stand())
        on_denied();
    else if (what.denied && !denied_.open())
        place_unplaced();
    admit(); // the oldest local waiter of this path comes first
    if (idle())
        directory_.restart_counter();
}

void line::retry_denied() {
    for (auto& what : denied_.retry())
        leaving_.add(std::move(what));
}

// Whoever is not the owner yet would wait until the end of its own session.
void line::on_denied() {
    if (denied_.open() || core_.mutated(mutant::denied_waiters_kept))
        return; // the answers to the others decide with this one
    std::vector<ticket_id> waiting;
    for (const auto& [id, who] : tickets_)
        if (who->phase != ticket_phase::held && who->phase != ticket_phase::confirming)
            waiting.push_back(id);
    for (auto next = waiting.rbegin(); next != waiting.rend(); ++next) // nobody inherits
        if (const auto who = core_.find(*next))
            cancel(*who, failure::release_denied, zookeeper_code::no_auth);
}

} // namespace turnstile::protocol
