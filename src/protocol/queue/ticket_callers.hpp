// SPDX-License-Identifier: BSL-1.0
// Who waits for a ticket, or holds a lock by it: one acquire, or several that share it.
#pragma once

#include "protocol/listener.hpp"
#include "protocol/queue/ticket_sets.hpp"

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace turnstile::protocol {

/// Readers of one session share a ticket, and so do the handles on what one acquire holds. Each
/// caller is told of its own acquire, loss and release. The ticket stays until the last caller lets
/// go, whoever came with it.
class ticket_callers {
public:
    explicit ticket_callers(listener& events) : events_(events) {}

    /// The ticket that a caller came with, or joined.
    ticket* find(const ticket_table& tickets, ticket_id caller) const;
    /// One more, with a limit for its own wait.
    void join(ticket& who, ticket_id caller, instant now, std::optional<instant> limit,
              timer::callback on_limit);
    /// Whether others remain, and the ticket with them; else nothing was done.
    bool leave(ticket& who, ticket_id caller);
    /// All of them; none shares the ticket from here on.
    std::vector<ticket_id> take(ticket& who);
    void forget(ticket& who);

    void granted(ticket& who, std::int64_t token);
    void lost(const ticket& who, failure why);

    /// Each with the instant from which it waits.
    template <class Action>
    static void for_each(const ticket& who, Action action) {
        if (!who.sharers)
            return action(who.id, who.started);
        for (const auto& each : *who.sharers)
            action(each.id, each.started);
    }

private:
    listener& events_;
    std::unordered_map<ticket_id, ticket*> joined_; // those that did not come with their ticket
};

} // namespace turnstile::protocol
