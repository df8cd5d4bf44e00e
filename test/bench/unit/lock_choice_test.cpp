// SPDX-License-Identifier: BSL-1.0
#include "lock_choice.hpp"
#include "support/pch.hpp"

using namespace turnstile::bench;

TEST_CASE("lock choice: no two choices of a scenario share a lock path") {
    const std::set<std::string> paths{path_of("wakeup", {}),
                                      path_of("wakeup", {.kind = "shared"}),
                                      path_of("wakeup", {.kind = "semaphore"}),
                                      path_of("wakeup", {.kind = "semaphore", .size = 3}),
                                      path_of("uncontended", {}),
                                      path_of("wakeup", {.strategy = "listing"})};
    CHECK(paths.size() == 6);
    CHECK(paths.contains("/bench/wakeup-semaphore-3"));
    CHECK(paths.contains("/bench/wakeup-mutex"));
}
