// How long acquires wait while no server can be reached.
#pragma once

#include "protocol/queue/machine_context.hpp"
#include "protocol/single_node/single_node_registry.hpp"

#include <vector>

namespace turnstile::protocol {

/// Each acquire waits its own limit, from its start or from the loss of the connection, whichever
/// came later.
class unreachable_timeout {
public:
    unreachable_timeout(machine_context& shared, single_node_registry& single_nodes)
        : context_(shared), single_nodes_(single_nodes), due_(shared.clock) {}

    /// While disconnected, after anything that may have to wait.
    void watch();
    void stop() { due_.cancel(); }

    /// All that it remembers.
    const auto& snapshot() const { return due_; }

private:
    void end();

    machine_context& context_;
    single_node_registry& single_nodes_;
    timer due_;
};

/// Ends acquires in the order of their arrival, which is the same in each replay of a run.
void cancel_all(machine_context& shared, single_node_registry& single_nodes,
                std::vector<ticket_id> which, failure why);

} // namespace turnstile::protocol
