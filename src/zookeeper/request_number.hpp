// SPDX-License-Identifier: BSL-1.0
// The numbers (xid) of the C client's requests.
#pragma once

#include <cstdint>

namespace turnstile::zookeeper {

/// The C client's own begin with the time of day, in one count for the whole process, and run into
/// those below zero that stand for events, pings and identities (-8 to -1). So they are ours. The
/// last one of all belongs to the end of a session.
constexpr std::int32_t next_request_number(std::int32_t last) {
    constexpr std::int32_t most = 0x7fff'fffe;
    return last >= most ? 1 : last + 1;
}

} // namespace turnstile::zookeeper
