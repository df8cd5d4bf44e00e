// Make a ticket, and learn from the same transaction whether it stands alone.
//
// An enqueue is multi(set_data(lock path), create(ticket)). The set's stat is the lock path's right
// before the create: its czxid is the incarnation, its numChildren says who stands there, and its
// mzxid is the transaction, thus the ticket's czxid. The design's create2 with a pipelined exists
// told the same with a request more, and that request was a quarter of an uncontended acquire.
#include "protocol/queue/line.hpp"

#include <charconv>
#include <utility>

namespace turnstile::protocol {

namespace {

// Enqueues in a row of one acquire before the lock path counts as unstable.
constexpr std::size_t most_tries = 64;

// What the server appended; below 0 where its counter has overflown.
std::int32_t appended_sequence(std::string_view path) {
    auto digits = path.substr(path.find_last_not_of("0123456789") + 1);
    if (path.substr(0, path.size() - digits.size()).ends_with("--")) // the prefix's, and a sign
        digits = path.substr(path.size() - digits.size() - 1);
    std::int32_t sequence = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), sequence);
    return sequence;
}

} // namespace

std::string line::data_of(const ticket& who) const { return core_.options.who.str(who.request); }

void line::place(ticket& who) {
    who.phase = ticket_phase::unplaced;
    if (!core_.wire.connected())
        return;
    if (denied_.stand() && core_.mutated(mutant::denied_not_tried_again))
        return cancel(who, failure::release_denied, zookeeper_code::no_auth);
    if (denied_.stand())
        return retry_denied();
    if (denied_.open())
        return; // placed, or refused, when they are answered
    if (!directory_.incarnation())
        return directory_.find();
    if (++who.tries > most_tries)
        return cancel(who, failure::path_unstable);
    who.phase = ticket_phase::creating;
    who.name = {.guarded = core_.options.guarded,
                .incarnation = core_.mutated(mutant::names_without_incarnation)
                                   ? 1
                                   : *directory_.incarnation(),
                .kind = who.kind};
    who.floor = directory_.highest();
    const auto id = who.id;
    const auto epoch = ++who.epoch;
    core_.wire.send(
        {.op = operation::enqueue, .path = who.name.prefix_under(path_), .data = data_of(who)},
        {purpose::enqueue, id, epoch}, [this, id, epoch](const reply& answer) {
            if (const auto found = core_.find(id, epoch))
                on_created(*found, answer);
        });
}

void line::place_unplaced() {
    std::vector<ticket*> waiting;
    for (const auto& [id, who] : tickets_)
        if (who->phase == ticket_phase::unplaced)
            waiting.push_back(who.get());
    for (const auto who : waiting)
        place(*who);
}

void line::fail_unplaced(failure why, zookeeper_code code) {
    std::vector<ticket*> waiting;
    for (const auto& [id, who] : tickets_)
        if (who->phase == ticket_phase::unplaced)
            waiting.push_back(who.get());
    for (const auto who : waiting)
        cancel(*who, why, code);
}

void line::on_created(ticket& who, const reply& answer) {
    if (outcome_unknown(answer.code)) {
        who.phase = core_.mutated(mutant::unknown_create_repeated) ? ticket_phase::unplaced
                                                                   : ticket_phase::unresolved;
        return;
    }
    using enum zookeeper_code;
    if (answer.code == ok)
        return on_enqueued(who, answer);
    who.phase = ticket_phase::unplaced;
    if (who.abandoned)
        return erase(who);
    switch (answer.code) {
    case no_node:
        if (core_.mutated(mutant::directory_not_made_again))
            return cancel(who, failure::server_error, answer.code);
        // reaped, or deleted by somebody: make it again
        directory_.vanished();
        return place(who);
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

void line::on_enqueued(ticket& who, const reply& answer) {
    const auto id = who.id;
    learn_incarnation(answer.stat.czxid);
    settle(who, answer.stat.mzxid, appended_sequence(answer.path));
    if (!core_.find(id) || who.phase != ticket_phase::looking)
        return; // abandoned, or refused
    if (answer.stat.czxid != who.name.incarnation &&
        !core_.mutated(mutant::names_without_incarnation))
        return leave_wrong_incarnation(who);
    who.tries = 0;
    if (answer.stat.children == 0 ||
        core_.mutated(mutant::line_not_looked_at)) { // nobody stood here when the ticket was made
        drop_dead([&](const ticket& other) { return other.name.sequence < who.name.sequence; },
                  evidence::certain);
        return own(who);
    }
    look(who);
}

// Each ticket's name was checked against the path in the transaction that made it. If the path is
// another now, the old one was deleted, and with it all that stood there.
void line::learn_incarnation(std::int64_t incarnation) {
    directory_.found(incarnation);
    if (core_.mutated(mutant::names_without_incarnation))
        return;
    drop_dead([&](const ticket& other) { return other.name.incarnation != incarnation; },
              evidence::certain);
}

void line::leave_wrong_incarnation(ticket& who) {
    // The path was made anew meanwhile: a name with the old incarnation may not stay.
    leave(who);
    restart(who);
}

void line::settle(ticket& who, std::int64_t czxid, std::int32_t sequence) {
    who.name.sequence = sequence;
    who.czxid = czxid;
    who.unseen = false;
    who.phase = ticket_phase::looking;
    by_sequence_[sequence] = &who;
    directory_.seen(sequence < 0 ? sequence_limit : sequence);
    if (who.abandoned && core_.mutated(mutant::cancel_in_flight_leaves_ticket)) {
        by_sequence_.erase(sequence);
        return erase(who);
    }
    if (who.abandoned) {
        depart(who, departure_form::plain, 0);
        return erase(who);
    }
    if (sequence < 0 || sequence >= sequence_limit) {
        cancel(who, failure::sequence_exhausted);
        // In the same flight as the ticket's deletion: whoever tries again at once comes behind it.
        return directory_.restart_counter();
    }
    watch_own_later(who, core_.proof.timeout() / 8);
}

void line::restart(ticket& who) {
    forget_before(who);
    who.before.reset();
    who.neighbour_of.reset();
    who.no_tickets.clear();
    forget_own_watch(who);
    who.phase = ticket_phase::unplaced;
    ++who.epoch;
    if (who.cost == 0) // its bytes left with the old node
        take_bytes(who);
    place(who);
}

} // namespace turnstile::protocol
