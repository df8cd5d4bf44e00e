// SPDX-License-Identifier: BSL-1.0
// A server's end of a client's connection.
#pragma once

#include "model_txn.hpp"

#include "protocol/wire/port.hpp"

#include <string>

namespace turnstile::test {

/// A server (model_replica) calls these functions to write to one client, in the order in which the
/// client shall read it. model_link has the implementation that takes time on the way.
class model_caller {
public:
    virtual ~model_caller() = default;
    /// The handshake has succeeded, with this session.
    virtual void connected(model_session session) = 0;
    virtual void replied(protocol::request_id id, const protocol::reply& answer) = 0;
    /// A watch on the node of this path has fired.
    virtual void fired(protocol::watch_event event, const std::string& path) = 0;
    /// The server has closed the connection, and calls nothing after this.
    virtual void hung_up(protocol::disconnect_reason why) = 0;
};

} // namespace turnstile::test
