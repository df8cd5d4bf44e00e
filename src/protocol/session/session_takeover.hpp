// SPDX-License-Identifier: BSL-1.0
// Ends a session of another process, or keeps it: which server is asked next, and when.
#pragma once

#include "protocol/time/backoff.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/port.hpp"

#include <cstddef>
#include <optional>

namespace turnstile::protocol {

/// A connection with the id and the password of a session takes the session over. The close that is
/// sent on it ends the session. That is sure once a server says that it knows the session no more,
/// so a connection after the close asks for just that. To keep a session it is enough to connect,
/// each quarter of its timeout.
///
/// Its owner makes the attempts, and reports how each ends. It gives an attempt up after
/// patience().
class session_takeover {
public:
    /// Begins with any of this many servers. An end is given up after two timeouts.
    session_takeover(std::size_t servers, duration timeout, bool keeps, random_source random,
                     instant now);

    std::size_t server() const { return server_; }
    duration patience() const { return patience_; }
    /// A connection has the session. True: the session is to be closed on it. False: it is kept,
    /// and the connection is to be dropped.
    bool on_connected();
    /// An attempt or a connection has ended. Returns the pause before the next attempt, or nothing:
    /// then it is over, and result() says how.
    std::optional<duration> on_disconnected(disconnect_reason why, instant now);
    /// None: the session has ended.
    failure result() const { return result_; }

private:
    std::optional<duration> end(failure why);
    std::optional<duration> try_next(instant now);

    const std::size_t servers_;
    const duration timeout_;
    const bool keeps_;
    const random_source random_;
    const instant until_;
    std::size_t server_;
    duration patience_;      // how long one server is waited for
    backoff backoff_;        // pauses after a round of servers
    std::size_t tried_ = 0;  // servers tried in this round
    bool was_tried_ = false; // an attempt has ended
    bool closed_ = false;    // the close was sent, and the server has ended the connection
    bool kept_ = false;      // the connection that is being dropped has kept the session
    failure result_ = failure::none;
};

} // namespace turnstile::protocol
