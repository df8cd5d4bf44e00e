#include "protocol/session/unreachable_timeout.hpp"

#include "protocol/queue/lock_queue.hpp"
#include "protocol/session/overdue.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::protocol {

void unreachable_timeout::watch() {
    const bool nobody = context_.tickets.empty() && single_nodes_.empty();
    if (context_.requests.connected() || nobody || due_.pending())
        return;
    due_.set(context_.now() + context_.options.unreachable_limit, [this] { end(); });
}

void unreachable_timeout::end() {
    overdue waits{.now = context_.now()};
    for (const auto& [id, who] : context_.tickets) {
        if (who->phase >= ticket_phase::held || who->abandoned)
            continue;
        ticket_callers::for_each(*who, [&](ticket_id caller, instant started) {
            waits.add(caller, started + context_.options.unreachable_limit);
        });
    }
    single_nodes_.for_each([&](const single_node& where) {
        where.for_each_waiting([&](ticket_id id, instant started) {
            waits.add(id, started + context_.options.unreachable_limit);
        });
    });
    if (waits.next)
        due_.set(*waits.next, [this] { end(); });
    cancel_all(context_, single_nodes_, std::move(waits.ids), failure::unreachable);
}

void cancel_all(machine_context& shared, single_node_registry& single_nodes,
                std::vector<ticket_id> which, failure why) {
    std::sort(which.begin(), which.end());
    for (const auto id : which)
        if (const auto who = shared.ticket_of(id))
            who->where.cancel(*who, id, why);
        else
            single_nodes.cancel(id, why);
}

} // namespace turnstile::protocol
