// What a server itself tells of watches and sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace turnstile::test {

/// Watches at the server, by its own count.
std::size_t watches_of(std::uint16_t port);

/// Watches that clients of this server have on nodes below the path.
std::size_t watches_below(std::uint16_t port, const std::string& path);

/// Whether the session lives, or its nodes, by the word of the leader of an ensemble or of a server
/// alone. (A follower knows less.)
bool knows_session(std::uint16_t leader_port, std::int64_t id);

} // namespace turnstile::test
