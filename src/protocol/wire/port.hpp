// SPDX-License-Identifier: BSL-1.0
// The one way to ZooKeeper. zookeeper::client implements it, and so does a modelled ensemble.
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

/// Why a connection ended, or an attempt to make one.
enum class disconnect_reason {
    lost,         // it was refused, reset or dropped, or timed out
    one_address,  // an attempt failed at one address; the next attempt takes this server's next one
    no_address,   // an attempt ended while the server's name was still being looked up
    not_restored, // an attempt: the server made another session than the one asked for
    expired,      // the server does not know the session any more
    refused_once, // as auth_failed, but this server's next address or a new Kerberos ticket may
                  // help
    auth_failed,  // the server refused an identity
    unusable,     // an attempt: something on this side is of no use, such as a file of TLS
    closed,       // close_session() was carried out
};

/// At most one connection exists at a time. Requests are answered in the order of send(), as
/// ZooKeeper does on one connection. Requests that are open when the connection ends are not
/// answered. None of these functions calls back into the machine before it returns: answers, events
/// and the end of a connection are later inputs of session_machine.
class port {
public:
    virtual ~port() = default;
    /// Makes one attempt at one server.
    virtual void connect(const connect_request& to) = 0;
    virtual void send(request_id id, const request& what) = 0;
    /// Cuts the connection, or gives up the attempt, without closing the session.
    virtual void drop() = 0;
    /// Ends the session at the server, after all that was sent before.
    virtual void close_session() = 0;
};

} // namespace turnstile::protocol
