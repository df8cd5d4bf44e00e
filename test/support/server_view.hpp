// SPDX-License-Identifier: BSL-1.0
// What a server itself shows of watches and sessions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace turnstile::test {

/// Watches on data at the server, by its own count.
std::size_t watches_of(std::uint16_t port);

/// Watches on data and on children.
std::size_t all_watches_of(std::uint16_t port);

/// Watches that clients of this server have on nodes below the path.
std::size_t watches_below(std::uint16_t port, const std::string& path);

/// The watches below the path of one session.
std::size_t watches_below(std::uint16_t port, const std::string& path, std::int64_t session);

/// What the leader of an ensemble, or a server alone, shows of a session: lines about its life, its
/// nodes and its connections. Empty once all that is over. (A follower knows less.)
std::string word_on_session(std::uint16_t leader_port, std::int64_t id);

/// What the answer to `dump` shows of a session. A session that is about to expire is no longer
/// listed, but counted until it is closed, and a client may still get it back: while more are
/// counted than are listed, it may be the one that is asked for.
std::string word_on_session(const std::string& dump, std::int64_t id);

} // namespace turnstile::test
