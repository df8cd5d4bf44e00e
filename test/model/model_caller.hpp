// SPDX-License-Identifier: BSL-1.0
// A server's end of a client's connection.
#pragma once

#include "model_txn.hpp"

#include "protocol/wire/port.hpp"

#include <string>

namespace turnstile::test {

class model_caller {
public:
    virtual ~model_caller() = default;
    virtual void connected(model_session session) = 0;
    virtual void replied(protocol::request_id id, const protocol::reply& answer) = 0;
    virtual void fired(protocol::watch_event event, const std::string& path) = 0;
    /// The server closes the connection; nothing more comes.
    virtual void hung_up(protocol::disconnect_reason why) = 0;
};

} // namespace turnstile::test
