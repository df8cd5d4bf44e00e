// How long acquires wait while no server can be reached.
#pragma once

#include "protocol/queue/core.hpp"

#include <vector>

namespace turnstile::protocol {

/// Each acquire waits its own limit, from its start or from the loss of the connection, whichever
/// came later.
class reach_limit {
public:
    explicit reach_limit(core& shared) : core_(shared), due_(shared.clock) {}

    /// While disconnected, after anything that may have to wait.
    void watch();
    void stop() { due_.cancel(); }

private:
    friend class machine_state;

    void end();

    core& core_;
    timer due_;
};

/// Ends acquires in the order of their arrival, which is the same in each replay of a run.
void cancel_all(core& shared, std::vector<ticket_id> which, failure why);

} // namespace turnstile::protocol
