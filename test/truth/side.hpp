// SPDX-License-Identifier: BSL-1.0
// A server with some sessions: the modelled one, or a real one.
#pragma once

#include "step.hpp"

#include <vector>

namespace turnstile::test {

class side {
public:
    virtual ~side() = default;
    /// Carries it out, and waits until each session has heard all that it will hear of it.
    virtual void take(const step& next) = 0;
    /// What each session has heard since the last call, in order.
    virtual std::vector<std::vector<heard>> listen() = 0;
};

} // namespace turnstile::test
