#include "protocol/session/unreachable_timeout.hpp"

#include "protocol/queue/lock_queue.hpp"

#include <algorithm>
#include <optional>

namespace turnstile::protocol {

void unreachable_timeout::watch() {
    if (context_.requests.connected() || context_.tickets.empty() || due_.pending())
        return;
    due_.set(context_.now() + context_.options.unreachable_limit, [this] { end(); });
}

void unreachable_timeout::end() {
    std::vector<ticket_id> over;
    std::optional<instant> next;
    for (const auto& [id, who] : context_.tickets) {
        if (who->phase >= ticket_phase::held || who->abandoned)
            continue;
        ticket_callers::for_each(*who, [&](ticket_id caller, instant started) {
            const auto due = started + context_.options.unreachable_limit;
            if (due <= context_.now())
                over.push_back(caller);
            else
                next = next ? std::min(*next, due) : due;
        });
    }
    if (next)
        due_.set(*next, [this] { end(); });
    cancel_all(context_, std::move(over), failure::unreachable);
}

void cancel_all(machine_context& shared, std::vector<ticket_id> which, failure why) {
    std::sort(which.begin(), which.end());
    for (const auto id : which)
        if (const auto who = shared.ticket_of(id))
            who->where.cancel(*who, id, why);
}

} // namespace turnstile::protocol
