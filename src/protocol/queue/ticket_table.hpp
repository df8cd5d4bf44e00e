// SPDX-License-Identifier: BSL-1.0
// What the tickets of one session share, whatever their lock paths.
#pragma once

#include "protocol/queue/enqueue_window.hpp"
#include "protocol/queue/ticket.hpp"
#include "protocol/session_context.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace turnstile::protocol {

/// Tickets by their ids, and by their callers. Readers of one session share a ticket, and so do the
/// handles on what one acquire holds. Each caller gets the events of its own acquire, loss and
/// release. The ticket stays until the last caller lets go.
class ticket_table {
public:
    explicit ticket_table(session_context& shared)
        : window(shared.options.enqueue_window), context_(shared) {}
    ticket_table(const ticket_table&) = delete;
    ticket_table& operator=(const ticket_table&) = delete;

    void add(ticket& newcomer) { tickets_.emplace(newcomer.id, &newcomer); }
    void erase(ticket& who);
    bool empty() const { return tickets_.empty(); }
    auto begin() const { return tickets_.begin(); }
    auto end() const { return tickets_.end(); }

    ticket* find(ticket_id id) const {
        const auto found = tickets_.find(id);
        return found == tickets_.end() ? nullptr : found->second;
    }
    /// The ticket that a reply was asked for, unless it has moved on since.
    ticket* find(ticket_id id, std::uint64_t epoch) const {
        const auto found = find(id);
        return found && found->epoch == epoch ? found : nullptr;
    }
    /// Sends for a ticket. The answer counts while the ticket has not moved on.
    template <class Then>
    void ask_for(const ticket& who, const request& what, Then then) {
        context_.requests.send(what, [this, id = who.id, epoch = who.epoch,
                                      then = std::move(then)](const reply& answer) {
            if (const auto found = find(id, epoch))
                then(*found, answer);
        });
    }

    /// The ticket by which a caller waits, or holds a lock.
    ticket* of_caller(ticket_id caller) const;
    /// One more caller, with a limit for its own wait.
    void join(ticket& who, ticket_id caller, std::optional<instant> limit,
              const timer::callback& on_limit);
    /// Takes the caller off the ticket. But if no other shares the ticket: false, and nothing is
    /// done.
    bool leave(ticket& who, ticket_id caller);
    static std::vector<ticket_id> callers(const ticket& who);
    /// All callers; none shares the ticket from here on.
    std::vector<ticket_id> take_callers(ticket& who);
    /// Each caller with the instant from which it waits.
    template <class Action>
    static void for_each_caller(const ticket& who, Action action) {
        if (who.sharers.empty())
            return action(who.id, who.started);
        for (const auto& each : who.sharers)
            action(each.id, each.started);
    }

    enqueue_window window;
    std::set<std::string> paths_waiting_for_budget; // where an acquire waits for bytes

private:
    void forget_callers(ticket& who);

    session_context& context_;
    std::unordered_map<ticket_id, ticket*> tickets_;
    std::unordered_map<ticket_id, ticket*> joined_; // callers that did not come with their ticket
};

} // namespace turnstile::protocol
