// Several locks acquired in one transaction.
#include "protocol/session/session_machine_input.hpp"

#include <cstddef>
#include <utility>

namespace turnstile::protocol {

namespace {

// A server takes 1 MiB. What the steps of one ticket cost beside their texts: headers, lengths, the
// guard in the ACL.
constexpr std::size_t most_bytes = 512 * 1024;
constexpr std::size_t other_bytes = 256;
// The set of the lock path, and the create.
constexpr std::size_t steps_of_one = 2;

} // namespace

// Tickets that are made together, in the order of their locks.
struct session_machine::company {
    struct member {
        ticket_id id = 0;
        std::uint64_t epoch = 0;
    };
    std::vector<member> members{};
    std::vector<transaction_step> steps{};
    std::size_t bytes = 0;
};

void session_machine::acquire(instant now, const std::vector<one_of_several>& together) {
    take_input(now, [&] {
        company those;
        those.members.reserve(together.size());
        those.steps.reserve(steps_of_one * together.size());
        auto next = together.begin();
        while (next != together.end() && join_company(those, *next))
            ++next;
        if (those.members.empty() && next != together.end()) {
            acquire_one(next->id, next->what); // in its own way: it may have to wait
            ++next;
        }
        for (; next != together.end(); ++next)
            context_.events.on_acquire_failed(next->id, failure::taken_back, zookeeper_code::ok);
        if (those.members.empty())
            return;
        request what{.op = operation::transact, .steps = std::move(those.steps)};
        context_.requests.send(what,
                               [this, members = std::move(those.members)](const reply& answer) {
                                   on_answer({.members = members}, answer);
                               });
    });
}

bool session_machine::join_company(company& those, const one_of_several& next) {
    const auto& what = next.what;
    const bool over = is_closing() || phase() == session_phase::closed;
    if (over || those.bytes > most_bytes || what.single_node || what.leases > 0 ||
        misplaced(what) != failure::none)
        return false;
    auto& where = queues_.at(what.path, lock_queue::purpose::lock, what.naming);
    where.path_believed(what.incarnation);
    if (where.naming() != what.naming || !where.may_enter_in_company(what.incarnation))
        return false;
    where.enter_in_company(ticket_of(next.id, where, what), those.steps);
    those.members.push_back({.id = next.id, .epoch = context_.find(next.id)->epoch});
    const auto& create = those.steps.back();
    those.bytes += what.path.size() + create.path.size() + create.data.size() + other_bytes +
                   context_.options.acl_bytes;
    return true;
}

void session_machine::on_answer(const company& those, const reply& answer) {
    if (answer.code != zookeeper_code::ok && !outcome_unknown(answer.code))
        return on_refusal(those, answer);
    bool keeps = answer.code == zookeeper_code::ok;
    reply one{.code = answer.code};
    for (std::size_t place = 0; place < those.members.size(); ++place) {
        if (answer.code == zookeeper_code::ok) {
            one.stat = answer.results[steps_of_one * place].stat;
            one.path = answer.results[steps_of_one * place + 1].path;
        }
        const auto& [id, epoch] = those.members[place];
        if (const auto who = context_.find(id, epoch))
            keeps =
                context_.rules.keeps_next(who->where.made_in_company(*who, one, keeps)) && keeps;
    }
}

// Nothing was made, for the sake of one of them.
void session_machine::on_refusal(const company& those, const reply& answer) {
    std::size_t refused = 0;
    while (refused < answer.results.size() && answer.results[refused].code == zookeeper_code::ok)
        ++refused;
    for (std::size_t place = 0; place < those.members.size(); ++place) {
        const auto& [id, epoch] = those.members[place];
        const auto who = context_.find(id, epoch);
        if (!who)
            continue;
        const bool by_it = place == refused / steps_of_one;
        if (by_it)
            who->where.made_in_company(
                *who, {.code = answer.code, .set_denied = refused % steps_of_one == 0}, true);
        else
            who->where.not_made_in_company(*who);
    }
}

} // namespace turnstile::protocol
