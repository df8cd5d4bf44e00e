// SPDX-License-Identifier: BSL-1.0
// The checker's own parser of paths (node_name): which nodes it follows, and what each is to its
// lock.
#include "check/node_name.hpp"

#include "protocol/names/semaphore_names.hpp"
#include "support/pch.hpp"

using turnstile::check::node_name;
using turnstile::check::node_role;

TEST_CASE("A ticket, a lease and a holder are told apart, each with its lock") {
    CHECK(node_name::parse("/l/a/turn-3-lock-0000000007") ==
          node_name{node_role::ticket, "/l/a", "turn-3-lock-0000000007"});
    CHECK(node_name::parse("/l/s/queue/turn-3-lock-0000000007") ==
          node_name{node_role::ticket, "/l/s/queue", "turn-3-lock-0000000007"});
    CHECK(node_name::parse("/l/s/leases/try-3-11-1-lease-0000000007") ==
          node_name{node_role::tried, "/l/s", "leases/try-3-11-1-lease-0000000007"});
    CHECK(node_name::parse("/l/s/leases/take-3-11-1-lease-0000000007") ==
          node_name{node_role::taken, "/l/s", "leases/take-3-11-1-lease-0000000007"});
    CHECK(node_name::parse("/l/n/holder") == node_name{node_role::only_holder, "/l/n", "holder"});
}

TEST_CASE("Other nodes are none of these") {
    for (const std::string_view path :
         {"/l/s/limit", "/l/s/queue", "/l/s/leases", "/l/a/", "/holder", "holder", "",
          "/l/s/leases/try-3-11-lease-0000000007", "/l/s/leases/try-3-11-1-lease-000000007",
          "/l/s/leases/try-3-11-1-lease-00000000x7", "/l/s/leases/trial-3-11-1-lease-0000000007",
          "/l/s/try-3-11-1-lease-0000000007", "/leases/try-3-11-1-lease-0000000007"}) {
        CAPTURE(path);
        CHECK(!node_name::parse(path));
    }
}

TEST_CASE("The product's leases are leases to the checker") {
    const bool tried = GENERATE(true, false);
    const turnstile::protocol::permit_name its{
        .tried = tried, .incarnation = 0x2a, .session = -0x11, .attempt = 0xabc};
    const auto node = node_name::parse("/l/s/leases/" + its.prefix() + "0000000007");
    REQUIRE(node);
    CHECK(node->role == (tried ? node_role::tried : node_role::taken));
}
