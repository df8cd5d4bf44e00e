// SPDX-License-Identifier: BSL-1.0
// Two sessions that use one semaphore of three permits.
#pragma once

#include "integration/semaphore/semaphore_calls.hpp"
#include "integration/support/fault_rig.hpp"

namespace turnstile::test {

struct two_semaphores : fixture {
    two_semaphores() {
        connect(*this, here);
        connect(*this, there);
    }
    /// Until so many stand in line.
    void await_line(std::size_t count) {
        run_until([&] { return children_of(path + "/queue").size() == count; });
    }
    session here{context, options_for()};
    session there{context, options_for()};
    const std::string path = fresh_path("semaphore");
    semaphore ours{here, path, 3};
    semaphore theirs{there, path}; // learns the limit from the server
};

} // namespace turnstile::test
