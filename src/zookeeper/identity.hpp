// Who a session says it is, and who may do what with the nodes it makes.
#pragma once

#include <string>

namespace turnstile::zookeeper {

struct identity {
    std::string scheme; // "digest"
    std::string secret; // "user:password"; never logged
};

/// What every session says of itself, so that other programs' `set` on a ticket is refused. It is
/// no secret and keeps no attacker out.
inline constexpr const char* guard_scheme = "digest";
inline constexpr const char* guard_secret = "turnstile:turnstile";
inline constexpr const char* guard_id = "turnstile:Zux4vhXTtSTr2Gnex/TzoKI8F1c=";

} // namespace turnstile::zookeeper
