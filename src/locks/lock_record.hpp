// What a session knows of a lock object, for as long as something of it is under way or held.
#pragma once

#include "locks/operation_table.hpp"
#include "locks/usage_meter.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace turnstile::detail {

/// Shared by the object, its acquires and the locks that it gave out.
struct lock_record {
    lock_record(std::string the_path, operation_id the_group)
        : path(std::move(the_path)), group(the_group) {}

    const std::string path;
    const operation_id group; // of its acquires
    usage_meter usage{};
    /// What the object set last, of a semaphore; 0: nothing. For the strand.
    std::uint32_t limit_set = 0;
};

} // namespace turnstile::detail
