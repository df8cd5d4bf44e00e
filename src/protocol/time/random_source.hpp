// SPDX-License-Identifier: BSL-1.0
// Randomness is handed in, so that a simulation can replay a run to the bit.
#pragma once

#include <cstdint>
#include <functional>

namespace turnstile::protocol {

using random_source = std::function<std::uint64_t()>;

} // namespace turnstile::protocol
