// SPDX-License-Identifier: BSL-1.0
// What an acquire asks for, of any kind of lock.
#pragma once

#include "protocol/names/ticket_name.hpp"
#include "protocol/time/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace turnstile::protocol {

/// A lock object of src/session makes it, and session_machine takes it. `permits` and `single_node`
/// choose the kind of lock: a semaphore, a lock of one node, or else a ticket in a queue.
struct acquire_request {
    std::string path; // checked by the caller
    ticket_kind kind = ticket_kind::exclusive;
    ticket_naming naming = ticket_naming::lock; // of its ticket's name
    bool patient = true;                        // false: fail with would_block instead of waiting
    std::optional<duration> limit{};            // of the acquire, from its start
    std::optional<duration> max_hold{}; // of the hold, from its grant; then the lock is lost
    bool single_node = false;           // the lock is one node, and there is no queue
    std::int64_t incarnation = 0;       // that the lock path must have; 0: any
    std::uint32_t permits = 0;          // of a semaphore; 0: the lock is of another kind
    std::optional<std::uint32_t> stated_limit{}; // the limit that the semaphore must have
    std::string value{};                         // of a candidate in an election; needs a queue
    bool later_part = false;                     // earlier parts of its multi_lock are held
    std::optional<std::string> asks{};           // why the holder is asked to let go, if it is
};

} // namespace turnstile::protocol
