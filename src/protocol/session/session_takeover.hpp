// SPDX-License-Identifier: BSL-1.0
// Ends a session of another process, or keeps it alive: says which server is asked next, and when.
#pragma once

#include "protocol/time/backoff.hpp"
#include "protocol/time/instant.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/port.hpp"

#include <cstddef>
#include <optional>

namespace turnstile::protocol {

/// A connection with the id and the password of a session takes the session over. To end the
/// session, a close is sent on it. The end is sure once a server says that it knows no such
/// session. So one more connection follows the close. To keep a session alive it is enough to
/// connect once in a quarter of its timeout.
///
/// Its owner, session_end, makes each attempt at server(), and gives it up after patience(). It
/// reports the connection and the end of the attempt, and then knows the pause until the next one.
class session_takeover {
public:
    /// Begins with a random one of the servers. `keeps`: keeps the session alive, without a limit
    /// of time. If not, it ends the session, and gives up after two timeouts.
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
    /// `none`: the session has ended.
    failure result() const { return result_; }

private:
    // Both return what on_disconnected() returns.
    std::optional<duration> end(failure why);
    /// Goes on with the next server. Fails if the time is over.
    std::optional<duration> try_next(instant now);

    const std::size_t servers_;
    const duration timeout_;
    const bool keeps_;
    const random_source random_;
    const instant until_;    // try_next() fails from this instant on
    std::size_t server_;     // of the next attempt
    duration patience_;      // how long an attempt may take
    backoff backoff_;        // pauses after a round of servers
    std::size_t tried_ = 0;  // servers tried in this round
    bool was_tried_ = false; // an attempt has ended
    bool closed_ = false;    // the close was sent, and the server has ended the connection
    bool kept_ = false;      // the connection that is being dropped has kept the session
    failure result_ = failure::none;
};

} // namespace turnstile::protocol
