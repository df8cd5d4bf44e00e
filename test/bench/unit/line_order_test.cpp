// SPDX-License-Identifier: BSL-1.0
#include "strategies/line_order.hpp"
#include "support/pch.hpp"

using namespace turnstile::bench;

TEST_CASE("line order: the lowest number holds the lock, in whatever order the names come") {
    const std::vector<std::string> names{"lock-0000000012", "lock-0000000007", "lock-0000000009"};
    CHECK(is_first(names, "lock-0000000007"));
    CHECK_FALSE(is_first(names, "lock-0000000009"));
    CHECK_FALSE(is_first(names, "lock-0000000012"));
    CHECK(is_first({"lock-0000000003"}, "lock-0000000003"));
}

TEST_CASE("line order: whoever waits watches the one right before it") {
    const std::vector<std::string> names{"lock-0000000012", "lock-0000000007", "lock-0000000009"};
    CHECK(before(names, "lock-0000000012") == "lock-0000000009");
    CHECK(before(names, "lock-0000000009") == "lock-0000000007");
    CHECK(before(names, "lock-0000000007").empty());
}

TEST_CASE("line order: the number decides, not what stands before it") {
    const std::vector<std::string> names{"z-0000000001", "a-0000000002", "m-0000000003"};
    CHECK(is_first(names, "z-0000000001"));
    CHECK(before(names, "m-0000000003") == "a-0000000002");
}

TEST_CASE("line order: a writer waits for everybody before it, a reader for writers only") {
    const std::vector<std::string> names{"R-0000000001", "R-0000000002", "W-0000000003",
                                         "R-0000000004", "W-0000000005"};
    CHECK(may_share(names, "R-0000000001"));
    CHECK(may_share(names, "R-0000000002"));
    CHECK_FALSE(may_share(names, "W-0000000003"));
    CHECK_FALSE(may_share(names, "R-0000000004"));
    CHECK_FALSE(may_share(names, "W-0000000005"));
    CHECK(may_share({"R-0000000004", "W-0000000003"}, "W-0000000003"));
    CHECK(may_share({"R-0000000004", "W-0000000005"}, "R-0000000004"));
}
