// SPDX-License-Identifier: BSL-1.0
// Who stands in a queue for something else than the queue's own lock.
#pragma once

#include "protocol/names/ticket_id.hpp"
#include "protocol/wire/failure.hpp"
#include "protocol/wire/zookeeper_code.hpp"

#include <cstdint>

namespace turnstile::protocol {

/// A ticket with a taker is never granted: its taker is told when it is first, and takes it out of
/// the line itself. The acquire is the taker's, which tells its end.
class line_taker {
public:
    virtual ~line_taker() = default;

    /// So many nodes stood there before its own.
    virtual void on_queued(ticket_id place, std::int32_t ahead) = 0;
    /// Nobody stands before the ticket. Told again after a reconnect.
    virtual void on_first(ticket_id place) = 0;
    /// Its node is gone; the ticket is enqueued anew, unless its taker cancels it.
    virtual void on_place_lost(ticket_id place) = 0;
    /// The ticket has left the line, or never came to stand in it.
    virtual void on_line_failed(ticket_id place, failure why, zookeeper_code code) = 0;
};

} // namespace turnstile::protocol
