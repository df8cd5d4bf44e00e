// SPDX-License-Identifier: BSL-1.0
// A lock object of any kind, and a view of one: its session, its path, and what its acquires ask
// for.
#pragma once

#include "protocol/acquire_request.hpp"
#include "session/lock_record.hpp"
#include "session/option_check.hpp"
#include "session/session_impl.hpp"

#include <memory>
#include <utility>

namespace turnstile::detail {

struct lock_object {
    lock_object(std::shared_ptr<session_impl> of, const protocol::acquire_request& what)
        : session(std::move(of)),
          request(what),
          record(std::make_shared<lock_record>(what.path, session->next_id())),
          bad_path(check_path(what.path)) {}

    /// Another object for the same lock. What this one sets counts there, too.
    std::shared_ptr<lock_object> twin() const {
        auto other = std::make_shared<lock_object>(*this);
        other->record = std::make_shared<lock_record>(request.path, session->next_id(), record);
        return other;
    }

    std::shared_ptr<session_impl> session;
    protocol::acquire_request request;
    std::shared_ptr<lock_record> record;
    fault bad_path; // found out once, reported by each operation
};

} // namespace turnstile::detail
