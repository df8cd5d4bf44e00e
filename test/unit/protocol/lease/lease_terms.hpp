// SPDX-License-Identifier: BSL-1.0
// A timeout of 16 s, and instants in seconds.
#pragma once

#include "protocol/time/instant.hpp"

namespace turnstile::test::lease_terms {

inline constexpr protocol::duration T = std::chrono::seconds{16};

inline protocol::instant at(protocol::duration since) { return protocol::instant{since}; }

} // namespace turnstile::test::lease_terms
