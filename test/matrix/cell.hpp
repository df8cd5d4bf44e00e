// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "fault.hpp"
#include "step.hpp"
#include "subject.hpp"
#include "support/pch.hpp"

namespace turnstile::matrix {

/// One cell of the matrix: at this step, this fault, and then that.
struct cell {
    const subject* lock;
    const step* at;
    fault what;
    recovery after;

    [[nodiscard]] std::string name() const; ///< "mutex/enqueue/cut-within/same-server"
    /// The session is ended at the server, since the unlucky one believes in nothing. Else by
    /// silence.
    [[nodiscard]] bool ends_at_server() const {
        return after == recovery::session_end && !at->may_believe();
    }
    /// An event or a ticket is gone, and the connection is whole: the queue goes on within the
    /// session timeout.
    [[nodiscard]] bool is_of_event() const {
        return what == fault::lost_event || what == fault::ticket_deletion;
    }
};

/// All of them.
std::vector<cell> all_cells();

} // namespace turnstile::matrix
