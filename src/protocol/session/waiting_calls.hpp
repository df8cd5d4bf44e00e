// All that waits in a session: acquires of every kind of lock, inquiries, look-ups.
#pragma once

#include "protocol/queue/machine_context.hpp"
#include "protocol/semaphore/semaphore_registry.hpp"
#include "protocol/session/inquiries.hpp"
#include "protocol/session/path_lookups.hpp"
#include "protocol/single_node/single_node_registry.hpp"

#include <vector>

namespace turnstile::protocol {

class waiting_calls {
public:
    waiting_calls(machine_context& shared, single_node_registry& single_nodes,
                  semaphore_registry& semaphores, inquiries& asked, path_lookups& lookups)
        : context_(shared),
          single_nodes_(single_nodes),
          semaphores_(semaphores),
          inquiries_(asked),
          lookups_(lookups) {}

    /// Nothing waits, is held or is on its way out: no session is needed.
    bool none() const {
        return context_.tickets.empty() && single_nodes_.empty() && semaphores_.empty() &&
               inquiries_.empty() && lookups_.empty();
    }

    /// With the instant since when.
    template <class Action>
    void for_each(Action action) const {
        for (const auto& [id, who] : context_.tickets)
            if (who->phase < ticket_phase::held && !who->abandoned)
                ticket_callers::for_each(*who, action);
        single_nodes_.for_each([&](const single_node& where) { where.for_each_waiting(action); });
        semaphores_.for_each([&](const semaphore& where) { where.for_each_waiting(action); });
        inquiries_.for_each_waiting(action);
        lookups_.for_each_waiting(action);
    }

    /// Ends some in the order of their arrival, which is the same in each replay of a run.
    void cancel(std::vector<watcher_id> which, failure why);

private:
    machine_context& context_;
    single_node_registry& single_nodes_;
    semaphore_registry& semaphores_;
    inquiries& inquiries_;
    path_lookups& lookups_;
};

} // namespace turnstile::protocol
