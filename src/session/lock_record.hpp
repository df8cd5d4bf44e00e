// SPDX-License-Identifier: BSL-1.0
// What a session knows of a lock object, for as long as something of it is under way or held.
#pragma once

#include "session/pending_table.hpp"
#include "session/usage_meter.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace turnstile::detail {

/// Shared by the object, its acquires and the locks that it gave out.
struct lock_record {
    lock_record(std::string the_path, operation_id the_group,
                std::shared_ptr<lock_record> made_from = {})
        : path(std::move(the_path)), group(the_group), origin(std::move(made_from)) {}

    const std::string path;
    const operation_id group;                  // of its acquires
    const std::shared_ptr<lock_record> origin; // of the object that this one was made from, if any
    usage_meter usage{};
    /// What the object set last, of a semaphore; 0: nothing. For the strand.
    std::uint32_t limit_set = 0;

    /// What counts for its acquires.
    std::uint32_t limit_in_force() const { return origin ? origin->limit_in_force() : limit_set; }
};

} // namespace turnstile::detail
