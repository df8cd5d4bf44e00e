// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_batch.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

// Once a batch is larger than this, it takes no further ticket. A server takes 1 MiB.
constexpr std::size_t most_bytes = 512 * 1024;
// The steps of one ticket cost this beside their texts: headers, lengths, the guard in the ACL.
constexpr std::size_t other_bytes = 256;
// Each ticket has two steps: the set of the lock path, and the create.
constexpr std::size_t steps_of_ticket = 2;

} // namespace

bool ticket_batch::join(ticket_id id, const acquire_request& what, std::optional<instant> end) {
    if (what.single_node || what.permits > 0 || bytes_ > most_bytes)
        return false;
    auto& where = queues_.at(what.path, lock_queue::purpose::lock, what.naming);
    where.suggest_incarnation(what.incarnation);
    if (where.naming() != what.naming || !where.enqueues().may_enter_in_batch(what.incarnation))
        return false;
    auto& who = queues_.make_ticket(id, where, what, end);
    where.enqueues().enter_in_batch(who, steps_);
    members_.push_back({.id = id, .epoch = who.epoch});
    const auto& create = steps_.back();
    bytes_ += what.path.size() + create.path.size() + create.data.size() + other_bytes +
              context_.options.acl_bytes;
    return true;
}

void ticket_batch::send() {
    const request what{.op = operation::transact, .steps = std::move(steps_)};
    context_.requests.send(what, [sent = *this](const reply& answer) { sent.on_answer(answer); });
}

// One of three things has happened:
// 1. The transaction was carried out. The tickets up to the first that waits are kept, and that one
//    as well. Those behind it are taken back.
// 2. One step was refused, and so nothing was made. The ticket of that step ends by the answer, and
//    the others are taken back.
// 3. The outcome is unknown. Each ticket is taken back, and recovery deletes its node if there is
//    one.
void ticket_batch::on_answer(const reply& answer) const {
    const bool made = answer.code == zookeeper_code::ok;
    const bool refused = !made && !outcome_unknown(answer.code);
    const auto step = failed_step(answer);
    bool keeps = made; // whether all tickets so far are owners
    for (std::size_t place = 0; place < members_.size(); ++place) {
        const auto who = queues_.tickets().find(members_[place].id, members_[place].epoch);
        if (!who)
            continue;
        if (refused && place != step / steps_of_ticket) {
            who->where.enqueues().on_other_ticket_refused(*who);
            continue;
        }
        // The answer to this ticket alone, as its own transaction would have had it.
        reply of_ticket{.code = answer.code, .first_step_denied = step % steps_of_ticket == 0};
        if (made) {
            of_ticket.stat = answer.results[steps_of_ticket * place].stat;
            of_ticket.path = answer.results[steps_of_ticket * place + 1].path;
        }
        keeps = who->where.enqueues().on_batch_answered(*who, of_ticket, keeps || refused) && keeps;
    }
}

} // namespace turnstile::protocol
