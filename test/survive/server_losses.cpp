// SPDX-License-Identifier: BSL-1.0
#include "server_losses.hpp"

#include <thread>

namespace turnstile::survive {

void server_losses::crash_leader() {
    const auto victim = servers_.leader();
    // justified: so that the kills fall on all phases of the sessions' beats
    std::this_thread::sleep_for(std::chrono::milliseconds{engine_() % 1'000});
    servers_.kill(victim);
    servers_.wait_until_serving();
    servers_.start(victim);
    servers_.wait_until_serving();
}

void server_losses::restart_all() {
    for (std::size_t i = 0; i < servers_.size(); ++i) {
        servers_.server(i).stop();
        servers_.start(i);
        servers_.wait_until_serving();
    }
}

} // namespace turnstile::survive
