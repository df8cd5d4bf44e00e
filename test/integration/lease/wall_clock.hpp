// SPDX-License-Identifier: BSL-1.0
// The time of day as this process is told it.
#pragma once

#include <chrono>

namespace turnstile::test {

/// While it lives, the time of day is as wrong as it was set last; clocks that nobody can set go on
/// as ever. It is the same for all libraries of the process: `wall_clock.cpp` stands in for the C
/// library's functions.
class wall_clock {
public:
    wall_clock() = default;
    wall_clock(const wall_clock&) = delete;
    wall_clock& operator=(const wall_clock&) = delete;
    ~wall_clock() { set_wrong_by(std::chrono::seconds{0}); }

    void set_wrong_by(std::chrono::seconds error);
};

} // namespace turnstile::test
