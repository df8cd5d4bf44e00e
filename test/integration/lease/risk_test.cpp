// SPDX-License-Identifier: BSL-1.0
// The warning that a lock may be lost.
#include "lease_rig.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

TEST_CASE("a lock that is at risk says so in time, and may be out of danger again") {
    lease_rig r;
    CHECK_FALSE(r.holder.lock.is_at_risk());
    r.proxy.set_black_hole(true);
    r.f.run_until([&] { return r.holder.risk.has_value(); });
    CHECK(*r.holder.risk == error_code{});
    CHECK(r.holder.lock.is_at_risk());
    CHECK(r.holder.at_risk_at < r.holder.lock.deadline() - 2000ms / 16);
    r.f.run_until([&] { return r.holder.loss.has_value(); });
    CHECK(r.holder.lock.is_at_risk());

    // Level-triggered: whoever asks now is told at once what it has come to.
    std::optional<error_code> late;
    r.holder.lock.wait_at_risk([&](error_code why) { late = why; });
    CHECK_FALSE(late);
    r.f.run_until([&] { return late.has_value(); });
    CHECK(*late == error::lease_lost);
}

TEST_CASE("a risk that passes leaves the lock as it was") {
    zookeeper_server server;
    fixture f;
    auto options = impatient(server.address());
    options.timeout = 8s; // two seconds of it are at risk, less half a second of margin
    session s{f.context, options};
    contender holder{s, "/locks/orders"};
    holder.acquire();
    f.run_until([&] { return holder.holds(); });
    server.pause();
    f.run_until([&] { return holder.risk.has_value(); }, 20s);
    server.resume();
    f.run_until([&] { return !holder.lock.is_at_risk() || holder.loss; });
    CHECK_FALSE(holder.loss);
    CHECK(holder.lock.is_held());
    CHECK(*holder.risk == error_code{});
}
