// SPDX-License-Identifier: BSL-1.0
// Numbers and switches of a session machine.
#pragma once

#include "protocol/names/ticket_data.hpp"
#include "protocol/time/instant.hpp"

#include <turnstile/acl.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace turnstile::protocol {

struct settings {
    std::size_t servers = 1;
    duration timeout = std::chrono::seconds{15};
    duration connect_timeout = std::chrono::seconds{10};
    duration unreachable_limit = std::chrono::seconds{30};
    duration shortest_backoff = std::chrono::milliseconds{50};
    duration longest_backoff = std::chrono::seconds{2};
    std::optional<duration> tick;   // of the servers; nothing: it is not known
    std::optional<duration> margin; // `lost` precedes the deadline by this; T/16 if not set
    std::size_t ticket_bytes = 512 * 1024;
    std::size_t chroot_bytes = 0; // the server's paths are longer by these
    std::size_t acl_bytes = 0;    // of the entries that the options add to a ticket's ACL
    std::size_t joins = 64;       // at most this many readers come to share one ticket
    std::int32_t crowd = 8; // a reader that met this many says when no writer is left among them
    std::int32_t near = 64; // with at most this many before a ticket, its session beats with writes
    bool tells_places = false;        // also near the front, reports how many stand before a ticket
    std::size_t enqueue_window = 256; // enqueues in flight
    std::size_t rewatch_window = 256; // searches in flight after a reconnect
    std::size_t unwanted_watches = 16; // this many watches without a waiter may stay
    duration queue_rest =
        std::chrono::seconds{10}; // idle for once or twice this, a path is deleted
    acl::rule directories = acl::rule::open;
    bool protects_tickets = true;   // tickets are named turn-, CHANGED is a release
    bool watches_own_data = false;  // a ticket watches its own node's data, and not its children
    bool refuses_own_waits = false; // an acquire fails if this session holds the lock against it
    ticket_data who;
};

} // namespace turnstile::protocol
