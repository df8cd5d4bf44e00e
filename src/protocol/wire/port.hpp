// SPDX-License-Identifier: BSL-1.0
// The one door to ZooKeeper: the C client implements it, and so does a modelled ensemble.
#pragma once

#include "protocol/time/instant.hpp"
#include "protocol/wire/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace turnstile::protocol {

struct credentials {
    std::int64_t session_id = 0; // 0: open a new session
    std::array<char, 16> password{};
};

struct connect_request {
    std::size_t server = 0; // index in the configured list
    credentials session;
    duration timeout{}; // the session timeout to ask for
};

/// Why a connection, or the attempt to make one, ended.
enum class disconnect_reason {
    lost,         // refused, reset, timed out, dropped on request
    one_address,  // an attempt; another address of this server is due in this round
    no_address,   // an attempt, while the server's name was still being looked up
    not_restored, // an attempt: the server made another session than the one asked for
    expired,      // the server no longer knows the session
    refused_once, // an identity was refused; another address of this server, or a new ticket, is
                  // due in this round
    auth_failed,  // the server refused an identity
    unusable,     // an attempt: what this side was to use for it cannot be used
    closed,       // close_session() was carried out
};

/// Requests are answered in the order of send(), as ZooKeeper does on one connection. None of these
/// functions calls back into the machine before it returns. At most one connection exists at a
/// time; requests that are open when it ends are not answered.
class port {
public:
    virtual ~port() = default;
    virtual void connect(const connect_request& to) = 0;
    virtual void send(request_id id, const request& what) = 0;
    /// Cuts the connection, or gives up the attempt, without closing the session.
    virtual void drop() = 0;
    /// Ends the session at the server, after all that was sent before.
    virtual void close_session() = 0;
};

} // namespace turnstile::protocol
