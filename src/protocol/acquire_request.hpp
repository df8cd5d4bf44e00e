// SPDX-License-Identifier: BSL-1.0
// What an acquire asks for.
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
    std::optional<duration> max_hold{};          // from the grant on; then it counts as lost
    bool single_node = false;                    // the lock is one node, and there is no line
    std::int64_t incarnation = 0;                // by its key: in another one it fails. 0: any
    std::uint32_t permits = 0;                   // of a semaphore; 0: it is another lock
    std::optional<std::uint32_t> stated_limit{}; // of the semaphore
    std::string value{};               // of a candidate in an election; in a line of tickets alone
    bool later_part = false;           // of several locks as one: other parts are held meanwhile
    std::optional<std::string> asks{}; // whoever stands before it to let go: why
};

} // namespace turnstile::protocol
