// SPDX-License-Identifier: BSL-1.0
// Messages that nobody reads.
#include "locks/log_sink.hpp"

#include "support/pch.hpp"

#include <unistd.h>

using namespace turnstile;

TEST_CASE("a standard error output without a reader kills no process") {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe(ends) == 0);
    ::close(ends[0]);
    const int kept = ::dup(STDERR_FILENO);
    REQUIRE(::dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    ::close(ends[1]);
    detail::write_log({}, log_level::error, "to nobody"); // else by SIGPIPE
    REQUIRE(::dup2(kept, STDERR_FILENO) == STDERR_FILENO);
    ::close(kept);
}
