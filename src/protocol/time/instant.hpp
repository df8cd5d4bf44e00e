// SPDX-License-Identifier: BSL-1.0
// The protocol's timeline, which is virtual in simulation. It never reads the clock: instants are
// handed in.
#pragma once

#include <turnstile/lease_clock.hpp>

#include <chrono>

namespace turnstile::protocol {

using duration = lease_clock::duration;
using instant = lease_clock::time_point;

} // namespace turnstile::protocol
