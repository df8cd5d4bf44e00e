// SPDX-License-Identifier: BSL-1.0
// A member is removed from the ensemble while sessions use it.
#include "integration/support/fault_rig.hpp"
#include "support/ensemble.hpp"
#include "support/pch.hpp"

TEST_CASE("a holder leaves a server that is removed from the ensemble, and keeps its lock") {
    ensemble servers{{.server = {.max_session_timeout_ms = 40'000}, .changes = true}};
    const auto leader = servers.leader();
    const bool is_leader = GENERATE(false, true);
    const auto removed = is_leader ? leader : servers.followers().front();
    std::string left;
    for (std::size_t i = 0; i < servers.size(); ++i)
        if (i != removed)
            left += (left.empty() ? "" : ",") + servers.server(i).address();
    fixture f;
    session s{f.context, impatient(servers.server(removed).address(), 15s)};
    contender holder{s, "/locks/orders"};
    acquire_now(f, holder);
    const auto id = s.id();
    {
        foreign_client admin{servers.server(removed).address()};
        REQUIRE(admin.remove_members(std::to_string(removed + 1)) == 0);
    }
    if (!is_leader) { // it goes on as one that has no vote, and keeps its sessions
        const auto deadline = holder.lock.deadline();
        f.run_until([&] { return holder.lock.deadline() > deadline + 2s; });
        CHECK(s.usage().connections == 1);
    }
    CHECK_FALSE(s.set_servers(left));
    const auto deadline = holder.lock.deadline();
    f.run_until([&] { return holder.lock.deadline() > deadline + 2s; });
    servers.kill(removed);
    const auto later = holder.lock.deadline();
    f.run_until([&] { return holder.lock.deadline() > later + 2s; });
    if (!is_leader)
        CHECK(s.usage().connections == 2);
    CHECK(holder.lock.is_held());
    CHECK(holder.lock.fencing_token() == holder.token);
    CHECK(s.id() == id);
    session other{f.context, impatient(left)};
    contender waiter{other, "/locks/orders"};
    waiter.acquire();
    settle(f, other);
    CHECK_FALSE(waiter.holds());
    holder.release();
    f.run_until([&] { return waiter.holds(); });
    CHECK(waiter.token > holder.token);
}
