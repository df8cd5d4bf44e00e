// SPDX-License-Identifier: BSL-1.0
// What a server itself shows of watches and sessions, by its four-letter words. The port is that of
// a server on this host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace turnstile::test {

/// How many watches on data the server has, by its own count.
std::size_t watches_of(std::uint16_t port);

/// How many watches the server has, on data and on children.
std::size_t all_watches_of(std::uint16_t port);

/// How many watches clients of this server have on nodes below the path.
std::size_t watches_below(std::uint16_t port, const std::string& path);

/// How many watches one session has there.
std::size_t watches_below(std::uint16_t port, const std::string& path, std::int64_t session);

/// What a server shows of a session: lines about its life, its nodes and its connections. Empty
/// once all that is over. To be asked of an ensemble's leader, or of a server alone: a follower
/// knows less.
std::string word_on_session(std::uint16_t leader_port, std::int64_t id);

/// What an answer to `dump` shows of a session. A session that is about to expire is not listed any
/// more. But it is counted until it is closed, and its client may still get it back. So while more
/// sessions are counted than listed, this is not empty: one of those may be the session.
std::string word_on_session(const std::string& dump, std::int64_t id);

} // namespace turnstile::test
