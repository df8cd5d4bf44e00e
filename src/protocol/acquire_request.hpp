// SPDX-License-Identifier: BSL-1.0
// The request of an acquire.
#pragma once

#include "protocol/names/ticket_name.hpp"
#include "protocol/time/instant.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace turnstile::protocol {

struct acquire_request {
    std::string path; // checked by the caller
    ticket_kind kind = ticket_kind::exclusive;
    ticket_naming naming = ticket_naming::lock; // of a ticket in a line
    bool patient = true;                        // false: fail with would_block instead of waiting
    std::optional<duration> limit{};
    std::optional<duration> max_hold{};          // counted from the grant; then the lock is lost
    bool single_node = false;                    // the lock is one node, and there is no line
    std::int64_t incarnation = 0;                // it fails in another incarnation; 0: any
    std::uint32_t permits = 0;                   // of a semaphore; 0: it is another lock
    std::optional<std::uint32_t> stated_limit{}; // of the semaphore
    std::string value{};               // of a candidate in an election; in a line of tickets alone
    bool later_part = false;           // earlier parts of its multi_lock are held
    std::optional<std::string> asks{}; // it asks the holder to let go, for this reason
};

} // namespace turnstile::protocol
