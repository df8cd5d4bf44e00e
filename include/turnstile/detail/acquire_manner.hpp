// SPDX-License-Identifier: BSL-1.0
// What an acquire, and a question about a lock path, say to compiled code.
#pragma once

#include <turnstile/detail/limit.hpp>
#include <turnstile/lock_names.hpp>

#include <cstddef>
#include <cstdint>

namespace turnstile::detail {

/// How an acquire stands in line.
struct acquire_manner {
    bool shared = false;
    bool single_node = false;
    bool patient = true;       // false: fail instead of waiting
    bool later_part = false;   // of a multi_lock that holds other parts by then
    bool states_limit = false; // of the semaphore: `stated_limit`
    lock_names names = lock_names::turnstile;
    std::uint32_t permits = 0; // of a semaphore; 0: it is another lock
    std::uint32_t stated_limit = 0;
    time_limit limit{};
    std::int64_t incarnation = 0; // of the lock path: in another one it fails. 0: any
};

/// How much is asked of those who stand in line.
struct survey_manner {
    std::size_t most = 0; // of whom details are asked
    time_limit limit{};
};

} // namespace turnstile::detail
