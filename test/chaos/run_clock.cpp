// SPDX-License-Identifier: BSL-1.0
#include "run_clock.hpp"

#include <algorithm>
#include <thread>

namespace turnstile::chaos {

bool run_clock::wait(clock::duration duration) const {
    const auto until = clock::now() + duration;
    while (!over() && clock::now() < until) {
        const auto slice = std::min(until, clock::now() + std::chrono::milliseconds{20});
        // justified: time is what the schedule is made of; a signal handler can wake nobody
        std::this_thread::sleep_until(slice);
    }
    return !over();
}

} // namespace turnstile::chaos
