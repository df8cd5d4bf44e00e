// SPDX-License-Identifier: BSL-1.0
// The object behind a lock of any kind, and behind a view of one.
#pragma once

#include "protocol/acquire_request.hpp"
#include "session/locks/usage_meter.hpp"
#include "session/option_check.hpp"
#include "session/pending_table.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace turnstile::detail {

class session_impl;

/// What a session knows of a lock object. The object, its acquires and its held locks share the
/// record, which lives as long as any of them.
struct lock_record {
    lock_record(const protocol::acquire_request& what, operation_id the_group,
                std::shared_ptr<lock_record> made_from = {})
        : path(what.path),
          is_single_node(what.single_node),
          is_semaphore(what.permits > 0),
          group(the_group),
          origin(std::move(made_from)) {}

    const std::string path;
    const bool is_single_node;
    const bool is_semaphore;
    const operation_id group;                  // of its operations, which are cancelled together
    const std::shared_ptr<lock_record> origin; // a twin's: the other object's record; else null
    usage_meter usage{};
    /// The limit that this object, a semaphore, has set last; 0: none. On the strand.
    std::uint32_t limit_set = 0;

    /// The limit that this object or its origin has set. On the strand.
    std::uint32_t limit_in_force() const { return origin ? origin->limit_in_force() : limit_set; }
};

/// A session, and the request that each acquire of a lock object or a view sends to it. A lock or
/// view of the user owns it; a multi_lock owns a twin of each part.
struct lock_object {
    lock_object(std::shared_ptr<session_impl> of, const protocol::acquire_request& what,
                operation_id group)
        : session(std::move(of)),
          request(what),
          record(std::make_shared<lock_record>(what, group)),
          bad(check_lock_path(what.path)) {}

    /// Makes another object for the same lock, with its own group and its own counts. A limit that
    /// this object sets applies to the twin, too.
    std::shared_ptr<lock_object> twin(operation_id group) const {
        auto other = std::make_shared<lock_object>(*this);
        other->record = std::make_shared<lock_record>(request, group, record);
        return other;
    }

    std::shared_ptr<session_impl> session;
    protocol::acquire_request request;
    std::shared_ptr<lock_record> record;
    fault bad; // what is wrong with the path, so that each operation fails; no code: nothing
};

} // namespace turnstile::detail
