// SPDX-License-Identifier: BSL-1.0
// A part of a session that owns operations.
#pragma once

#include "session/pending_table.hpp"

#include <turnstile/error.hpp>

namespace turnstile::detail {

/// What session_impl does with the operations of each of its parts. All members are called on the
/// session's strand.
class operation_owner {
public:
    virtual ~operation_owner() = default;

    /// Ends the operation with operation_aborted. Does nothing if it is another part's, or over.
    virtual void cancel(operation_id id) = 0;
    /// Ends those that one lock object has started, unless they go on without it.
    virtual void cancel_group(operation_id /*group*/) {}
    /// Completes all with this code.
    virtual void fail_all(const error_code& why) noexcept = 0;
    /// Destroys all without a completion. The session has no driver any more.
    virtual void drop_all() noexcept = 0;
};

} // namespace turnstile::detail
