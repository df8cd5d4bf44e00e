// SPDX-License-Identifier: BSL-1.0
// Who stands in line: every naming that other programs use under a shared lock path.
#include "protocol/names/ticket_name.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;

namespace {

constexpr auto uuid = "f1d8f2b9-3d0e-4b2e-9d15-9bd0f5a6a5a1";
constexpr auto hex32 = "0123456789abcdef0123456789abcdef";

std::string curator(const std::string& digits) {
    return std::string("_c_") + uuid + "-lock-" + digits;
}
std::string kazoo(const std::string& kind, const std::string& digits) {
    return hex32 + kind + digits;
}

void check_contender(const std::string& child, std::int32_t sequence, ticket_kind kind, bool ours,
                     ticket_naming naming = ticket_naming::lock) {
    CAPTURE(child);
    const auto parsed = parse_contender(child);
    REQUIRE(parsed);
    CHECK(parsed->sequence == sequence);
    CHECK(parsed->kind == kind);
    CHECK(parsed->ours == ours);
    CHECK(parsed->naming == naming);
}

void check_bystander(const std::string& child) {
    CAPTURE(child);
    CHECK_FALSE(parse_contender(child));
}

} // namespace

TEST_CASE("Curator, go-zookeeper and Kazoo with our pattern stand in line as exclusive ones") {
    check_contender(curator("0000000001"), 1, ticket_kind::exclusive, false);
    check_contender("_c_0011223344556677-lock-0000000012", 12, ticket_kind::exclusive, false);
    check_contender("lock-0000000004", 4, ticket_kind::exclusive, false);
}

TEST_CASE("Kazoo's own locks stand in line, its readers as readers") {
    check_contender(kazoo("__lock__", "0000000001"), 1, ticket_kind::exclusive, false);
    check_contender(kazoo("__rlock__", "0000000002"), 2, ticket_kind::shared, false);
}

TEST_CASE("the recipes of ZooKeeper itself stand in line") {
    check_contender("x-72057594037927936-0000000009", 9, ticket_kind::exclusive, false); // Java
    check_contender("x--72057594037927936-0000000009", 9, ticket_kind::exclusive, false);
    check_contender("x-0100a5e4b7c30001-0000000010", 10, ticket_kind::exclusive, false); // C
    check_contender("x-ff00a5e4b7c3000F-0000000011", 11, ticket_kind::exclusive, false);
}

TEST_CASE("Curator's read-write locks stand in a line of their own, and so do those beside them") {
    const auto naming = ticket_naming::curator;
    const auto theirs = std::string("_c_") + uuid;
    check_contender(theirs + "-__WRIT__0000000001", 1, ticket_kind::exclusive, false, naming);
    check_contender(theirs + "-__READ__0000000002", 2, ticket_kind::shared, false, naming);
    check_contender("turn-5-__WRIT__0000000003", 3, ticket_kind::exclusive, true, naming);
    check_contender("open-5-__READ__2147483647", 2147483647, ticket_kind::shared, true, naming);
}

TEST_CASE("children of other shapes do not stand in line") {
    const auto child = GENERATE(
        as<std::string>{}, "", "0", "config", "x-", "x--", "x-1", "lock", "lock-", "0000000001",
        "x-0000000001", "x--0000000001", "x---0000000001", "x-zz-0000000001", "x-1 -0000000001",
        "x-1--0000000001", "y-1-0000000001", "X-1-0000000001", "node0000000001", "lock0000000001",
        "lock_0000000001", "Lock-0000000001", "_c_0011-__WRIT_0000000001",
        "_c_0011-_READ__0000000001", "_c_0011-__writ__0000000001", "_c_0011-__READ__x0000000001",
        "abc__lock_0000000001", "abc_lock__0000000001");
    check_bystander(child);
}

TEST_CASE("a sequence that is not ten digits long, or negative, or too large is none") {
    const auto digits =
        GENERATE(as<std::string>{}, "000000001", "00000000001", "-2147483648", "-2147483647",
                 "-000000001", "2147483648", "9999999999", "000000000x", "0x00000001", "");
    check_bystander("turn-5-lock-" + digits);
    check_bystander(curator(digits));
    check_bystander(kazoo("__lock__", digits));
    check_bystander(kazoo("__rlock__", digits));
    check_bystander("turn-5-__WRIT__" + digits);
    check_bystander("_c_0011-__READ__" + digits);
    check_bystander("x-72057594037927936-" + digits);
}
