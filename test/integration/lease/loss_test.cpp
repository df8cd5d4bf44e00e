// SPDX-License-Identifier: BSL-1.0
// The lease deadline: a holder that the ensemble no longer hears stops believing before anybody
// else is granted.
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"

#include "lease_rig.hpp"

TEST_CASE("a holder behind a black hole is told before the next session is granted") {
    lease_rig r;
    r.proxy.set_black_hole(true);
    const auto deadline = r.holder.lock.deadline();
    r.check_that_loss_comes_first();
    CHECK(r.holder.lost_at < deadline); // by the margin
    REQUIRE(r.holder.risk);
    CHECK(*r.holder.risk == error_code{});
    CHECK(r.holder.at_risk_at < r.holder.lost_at);
    CHECK(r.waiter.granted_at > deadline); // the deadline is on the safe side
    r.proxy.set_black_hole(false);
    r.f.run_until([&] { return r.s.state() == session_state::connected; });
    await_children(r.f, r.eyes, r.path, 1);
    CHECK(r.waiter.lock.is_held());
    CHECK(release_now(r.f, r.holder) == condition::lock_lost);
}

TEST_CASE("a holder whose replies vanish is told before the next session is granted") {
    lease_rig r;
    // The server hears it, and answers; only its own side is deaf, on every connection.
    (void)r.proxy.add_rule(
        {.direction = direction::to_client, .times = 0, .action = action::black_hole});
    r.f.run_until([&] { return r.holder.loss.has_value(); });
    CHECK(*r.holder.loss == error::lease_lost);
    // Its handshakes keep the session alive at the server: the ticket goes when it hears again.
    r.proxy.clear_rules();
    r.check_that_loss_comes_first();
    await_children(r.f, r.eyes, r.path, 1);
}

TEST_CASE("a pause of the server shorter than the lease keeps the lock") {
    zookeeper_server server;
    fixture f;
    auto options = impatient(server.address());
    options.timeout = 4s;
    session s{f.context, options};
    contender holder{s, "/locks/orders"};
    acquire_now(f, holder);
    const auto id = s.id();
    for (int i = 0; i < 3; ++i) {
        const auto deadline = holder.lock.deadline();
        server.pause();
        // Until the beat has been given up; less than T/4 is gone then.
        f.run_until([&] { return s.state() == session_state::suspended; });
        server.resume();
        f.run_until([&] { return holder.lock.deadline() > deadline; });
        CHECK(holder.lock.is_held());
    }
    CHECK_FALSE(holder.loss);
    CHECK(s.id() == id);
}

TEST_CASE(
    "a pause of the server beyond the lease costs the lock by the margin before the deadline") {
    zookeeper_server server;
    fixture f;
    auto options = short_session(server.address());
    options.margin = 300ms;
    session s{f.context, options};
    contender holder{s, "/locks/orders"};
    acquire_now(f, holder);
    settle(f, s);
    server.pause();
    // However slow the machine is: with the margin begun, the loss is among the next handlers.
    lease_clock::time_point deadline;
    int looks_in_margin = 0;
    f.run_until([&] {
        deadline = holder.lock.deadline();
        looks_in_margin += lease_clock::now() > deadline - 300ms ? 1 : 0;
        return holder.loss.has_value();
    });
    CHECK(*holder.loss == error::lease_lost);
    CHECK(looks_in_margin < 8);
    CHECK(deadline - holder.lost_at <= 300ms); // and not before it
    server.resume();
    onlooker eyes{server.address()};
    await_children(f, eyes, "/locks/orders", 0);
    CHECK(release_now(f, holder) == condition::lock_lost);
}

TEST_CASE("is_held turns false by the clock, without any event") {
    fixture f;
    session s{f.context, short_session(shared_server().address())};
    contender holder{s, fresh_path("lease")};
    acquire_now(f, holder);
    const auto deadline = holder.lock.deadline();
    const auto end = lease_clock::now() + 5s;
    // The context is not run at all.
    while (holder.lock.is_held() && lease_clock::now() < end) {
    }
    const auto stopped = lease_clock::now();
    CHECK(stopped < deadline);
    CHECK(deadline - stopped <= 2000ms / 16);
    CHECK_FALSE(holder.loss);
    f.run_until([&] { return holder.loss.has_value(); });
    CHECK(*holder.loss == error::lease_lost);
}

TEST_CASE("a thread that is kept busy is named as the cause of a loss, and counted") {
    log_record record;
    fixture f;
    auto options = options_for();
    options.log = {.level = log_level::info, .sink = record.sink()};
    session s{f.context, options};
    contender holder{s, fresh_path("stall")};
    acquire_now(f, holder);
    CHECK(s.usage().stalls == 0);
    while (holder.lock.is_held()) { // computes, and awaits nothing
    }
    f.run_until([&] { return record.has(log_level::error); });
    CHECK(s.usage().stalls == 1);
    CHECK(record.mentions("nothing ran on the session's thread for "));
    CHECK_FALSE(record.mentions(" lost in -"));
    CHECK_FALSE(record.mentions("out of danger"));
}
