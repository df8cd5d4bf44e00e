// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/ensemble.hpp"

#include <chrono>
#include <cstddef>
#include <random>

namespace turnstile::survive {

/// Kills leaders and restarts servers in turn. On the thread that made the ensemble.
class server_losses {
public:
    explicit server_losses(test::ensemble& servers) : servers_{servers} {}

    /// SIGKILL; started again when the others have elected another, and whole again on return.
    void crash_leader();

    /// Each member stopped in an orderly way and started again, the next when all serve.
    void restart_all();

private:
    test::ensemble& servers_;
    std::mt19937_64 engine_{1};
};

} // namespace turnstile::survive
