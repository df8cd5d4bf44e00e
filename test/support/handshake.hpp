// SPDX-License-Identifier: BSL-1.0
// What a client asks for in its handshake, changed on its way.
#pragma once

#include <cstddef>
#include <string>

namespace turnstile::test {

/// For proxy_rule::rewritten: a new session. So a server seems to be one that never restores a
/// session, as ClickHouse Keeper.
inline std::string as_a_new_session(std::string handshake) {
    // Its length, version, last zxid and timeout; then the session, and the length of a password.
    constexpr std::size_t session = 4 + 4 + 8 + 4;
    handshake.replace(session, 8, 8, '\0');
    handshake.replace(session + 8 + 4, 16, 16, '\0');
    return handshake;
}

} // namespace turnstile::test
