// SPDX-License-Identifier: BSL-1.0
#include "protocol/queue/ticket_batch.hpp"

#include <utility>

namespace turnstile::protocol {

namespace {

// A server takes 1 MiB. The steps of one ticket cost this beside their texts: headers, lengths, the
// guard in the ACL.
constexpr std::size_t most_bytes = 512 * 1024;
constexpr std::size_t other_bytes = 256;
// The set of the lock path, and the create.
constexpr std::size_t steps_of_one = 2;

} // namespace

bool ticket_batch::join(ticket_id id, const acquire_request& what, std::optional<instant> end) {
    if (bytes_ > most_bytes)
        return false;
    auto& where = queues_.at(what.path, lock_queue::purpose::lock, what.naming);
    where.path_believed(what.incarnation);
    if (where.naming() != what.naming || !where.may_enter_in_batch(what.incarnation))
        return false;
    where.enter_in_batch(queues_.make_ticket(id, where, what, end), steps_);
    members_.push_back({.id = id, .epoch = queues_.tickets().find(id)->epoch});
    const auto& create = steps_.back();
    bytes_ += what.path.size() + create.path.size() + create.data.size() + other_bytes +
              context_.options.acl_bytes;
    return true;
}

void ticket_batch::send() {
    request what{.op = operation::transact, .steps = std::move(steps_)};
    context_.requests.send(what, [&queues = queues_, members = std::move(members_)](
                                     const reply& answer) { on_answer(queues, members, answer); });
}

void ticket_batch::on_answer(queue_registry& queues, const std::vector<member>& members,
                             const reply& answer) {
    if (answer.code != zookeeper_code::ok && !outcome_unknown(answer.code))
        return on_refusal(queues, members, answer);
    bool keeps = answer.code == zookeeper_code::ok;
    reply one{.code = answer.code};
    for (std::size_t place = 0; place < members.size(); ++place) {
        if (answer.code == zookeeper_code::ok) {
            one.stat = answer.results[steps_of_one * place].stat;
            one.path = answer.results[steps_of_one * place + 1].path;
        }
        const auto& [id, epoch] = members[place];
        if (const auto who = queues.tickets().find(id, epoch))
            keeps = who->where.made_in_batch(*who, one, keeps) && keeps;
    }
}

// Nothing was made, for the sake of one of them.
void ticket_batch::on_refusal(queue_registry& queues, const std::vector<member>& members,
                              const reply& answer) {
    std::size_t refused = 0;
    while (refused < answer.results.size() && answer.results[refused].code == zookeeper_code::ok)
        ++refused;
    for (std::size_t place = 0; place < members.size(); ++place) {
        const auto& [id, epoch] = members[place];
        const auto who = queues.tickets().find(id, epoch);
        if (!who)
            continue;
        const bool by_it = place == refused / steps_of_one;
        if (by_it)
            who->where.made_in_batch(
                *who, {.code = answer.code, .set_denied = refused % steps_of_one == 0}, true);
        else
            who->where.not_made_in_batch(*who);
    }
}

} // namespace turnstile::protocol
