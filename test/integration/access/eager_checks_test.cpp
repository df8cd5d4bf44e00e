// SPDX-License-Identifier: BSL-1.0
// A server that looks at a write's rights itself refuses before it has answered earlier requests.
#include "integration/support/access_support.hpp"
#include "integration/support/fault_rig.hpp"

#include "support/ensemble.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("eager checks of rights: a ticket that may not be deleted costs no connection") {
    ensemble::options how;
    how.server.system_properties.emplace_back("zookeeper.enableEagerACLCheck=true");
    ensemble servers{how};
    const auto address = servers.server(servers.followers().front()).address();
    foreign_client owner{foreign_client::options{.address = address, .digest = alice}};
    for (const auto* const path : {"/closed", "/open"})
        REQUIRE(owner.create(path) == 0);
    REQUIRE(owner.set_acl("/closed",
                          {right_of(alice, every_right), anyones(every_right & ~can_delete)}) == 0);
    frame_proxy proxy{servers.server(servers.followers().front()).port()};
    fixture f;
    session s{f.context, options_for(proxy.address())};
    contender holder{s, "/closed"};
    contender waiter{s, "/closed"};
    contender other{s, "/open"};
    holder.acquire();
    f.run_until([&] { return holder.holds(); });
    waiter.acquire();
    settle(f, s);
    REQUIRE(children_as(owner, "/closed").size() == 2);
    const auto refused = proxy.add_rule(
        {.direction = direction::to_server, .op = op::any, .path = "/closed/turn-", .times = 0});
    for (int round = 0; round < 20; ++round) {
        other.acquire();
        if (round == 1) // the acquire's write is open when the deletion is refused
            waiter.cancel();
        f.run_until([&] { return other.holds(); });
        other.release();
        f.run_until([&] { return !other.holds() && other.release_result; });
    }
    f.run_until([&] { return proxy.hits(refused) >= 2; }); // it is tried again
    CHECK(proxy.stats().connections == 1);
    CHECK(children_as(owner, "/closed").size() == 2);
    CHECK(holder.lock.is_held());
}
