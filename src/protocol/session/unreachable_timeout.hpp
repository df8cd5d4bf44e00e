// SPDX-License-Identifier: BSL-1.0
// How long whoever waits does so while no server can be reached.
#pragma once

#include "protocol/session/waiting_calls.hpp"
#include "protocol/session_context.hpp"

namespace turnstile::protocol {

/// Each waits its own limit, from its start or from the loss of the connection, whichever came
/// later. A server that shakes hands and carries nothing out counts as unreachable.
class unreachable_timeout {
public:
    unreachable_timeout(session_context& shared, waiting_calls& waiting)
        : context_(shared), waiting_(waiting), due_(shared.clock) {}

    /// While disconnected, after anything that may have to wait.
    void watch();
    void stop() { due_.cancel(); }

private:
    void end();

    session_context& context_;
    waiting_calls& waiting_;
    timer due_;
};

} // namespace turnstile::protocol
