#include "protocol/session/reach_limit.hpp"

#include "protocol/queue/line.hpp"

#include <algorithm>
#include <optional>

namespace turnstile::protocol {

void reach_limit::watch() {
    if (core_.wire.connected() || core_.tickets.empty() || due_.pending())
        return;
    due_.set(core_.now() + core_.options.unreachable_limit, [this] { end(); });
}

void reach_limit::end() {
    std::vector<ticket_id> over;
    std::optional<instant> next;
    for (const auto& [id, who] : core_.tickets) {
        if (who->phase >= ticket_phase::held || who->abandoned)
            continue;
        const auto due = who->started + core_.options.unreachable_limit;
        if (due <= core_.now())
            over.push_back(id);
        else
            next = next ? std::min(*next, due) : due;
    }
    if (next)
        due_.set(*next, [this] { end(); });
    cancel_all(core_, std::move(over), failure::unreachable);
}

void cancel_all(core& shared, std::vector<ticket_id> which, failure why) {
    std::sort(which.begin(), which.end());
    for (const auto id : which)
        if (const auto who = shared.find(id))
            who->where.cancel(*who, why);
}

} // namespace turnstile::protocol
