// SPDX-License-Identifier: BSL-1.0
// A lock object of any kind, and a view of one: its session, its path, and what its acquires ask
// for.
#pragma once

#include "protocol/acquire_request.hpp"
#include "session/option_check.hpp"
#include "session/pending_table.hpp"
#include "session/usage_meter.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace turnstile::detail {

class session_impl;
class ticket_lock;

/// What a session knows of a lock object, for as long as something of it is under way or held.
/// Shared by the object, its acquires and the locks that it gave out.
struct lock_record {
    lock_record(std::string the_path, operation_id the_group,
                std::shared_ptr<lock_record> made_from = {}, bool is_single_node = false)
        : path(std::move(the_path)),
          single_node(is_single_node),
          group(the_group),
          origin(std::move(made_from)) {}

    const std::string path;
    const bool single_node;
    const operation_id group;                  // of its acquires
    const std::shared_ptr<lock_record> origin; // of the object that this one was made from, if any
    usage_meter usage{};
    /// What the object set last, of a semaphore; 0: nothing. For the strand.
    std::uint32_t limit_set = 0;

    /// What its acquires were granted last. For the strand.
    std::weak_ptr<ticket_lock> granted{};

    /// What counts for its acquires.
    std::uint32_t limit_in_force() const { return origin ? origin->limit_in_force() : limit_set; }
};

struct lock_object {
    lock_object(std::shared_ptr<session_impl> of, const protocol::acquire_request& what,
                operation_id group)
        : session(std::move(of)),
          request(what),
          record(std::make_shared<lock_record>(what.path, group, nullptr, what.single_node)),
          bad(check_lock_path(what.path)) {}

    /// Another object for the same lock. What this one sets counts there, too.
    std::shared_ptr<lock_object> twin(operation_id group) const {
        auto other = std::make_shared<lock_object>(*this);
        other->record =
            std::make_shared<lock_record>(request.path, group, record, request.single_node);
        return other;
    }

    std::shared_ptr<session_impl> session;
    protocol::acquire_request request;
    std::shared_ptr<lock_record> record;
    fault bad; // found out once, reported by each operation
};

} // namespace turnstile::detail
