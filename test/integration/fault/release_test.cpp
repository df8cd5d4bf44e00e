// SPDX-License-Identifier: BSL-1.0
// Releases beside other tickets of their session, and cuts while a lock is held. (One release of
// unknown outcome alone: the simulation.)
#include "fault_outage.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a release of unknown outcome does not touch the next ticket of the same session") {
    for (const auto fault : request_faults) {
        INFO(to_text(fault));
        outage_rig r;
        const auto path = fresh_path("release");
        crowd users{{&r.s}, path, 3};
        users.line_up();
        r.f.run_until([&] { return users.served() == 1; });
        await_children(r.f, r.eyes, path, 3);
        settle(r.f, r.s);
        const auto rule = r.prepare({.op = op::multi, .path = path + "/", .action = fault});
        users.all[0]->release();
        r.f.run_until([&] { return users.all[1]->holds(); }); // before any answer
        r.pass_through(rule);
        await_children(r.f, r.eyes, path, 2);
        CHECK(users.all[1]->lock.is_held());
        users.all[1]->release();
        r.f.run_until([&] { return users.all[2]->holds(); });
        users.all[2]->release();
        r.f.run_until([&] { return users.all_done(); });
        for (const auto& user : users.all)
            CHECK(*user->release_result == error_code{});
        CHECK(users.book.violations() == journal::no_violations);
        await_children(r.f, r.eyes, path, 0);
    }
}

TEST_CASE("releases during an outage are sent in the order of the line after it") {
    outage_rig r;
    const auto path = fresh_path("release");
    session direct{r.f.context, impatient(shared_server().address())};
    journal book;
    crowd ours{{&r.s}, path, 3};
    ours.line_up();
    r.f.run_until([&] { return ours.served() == 1; });
    await_children(r.f, r.eyes, path, 3);
    contender next{direct, path};
    next.acquire();
    await_children(r.f, r.eyes, path, 4);
    settle(r.f, r.s);
    r.proxy.set_outage(true);
    r.proxy.cut_all();
    r.f.run_until([&] { return r.s.state() == session_state::suspended; });
    ours.release_when_granted(); // hands over within the session, without a server
    r.f.run_until([&] { return ours.served() == 3; });
    CHECK(r.eyes.count(path) == 4);
    CHECK_FALSE(next.holds());
    r.proxy.set_outage(false);
    r.f.run_until([&] { return next.holds() && ours.all_done(); });
    CHECK(next.token > ours.book.grants.back().token);
    await_children(r.f, r.eyes, path, 1);
}

TEST_CASE("a lock is kept over cuts, and its deadline moves on after them") {
    outage_rig r;
    const auto path = fresh_path("release");
    contender holder{r.s, path};
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
    for (int i = 0; i < 10; ++i) {
        const auto deadline = holder.lock.deadline();
        r.proxy.cut_all();
        r.f.run_until([&] { return holder.lock.deadline() > deadline; });
        CHECK(holder.lock.is_held());
    }
    CHECK_FALSE(holder.loss);
    CHECK(r.eyes.count(path) == 1);
    holder.release();
    // The node is seen to be gone before the answer is here.
    r.f.run_until([&] { return holder.release_result.has_value(); });
    CHECK(*holder.release_result == error_code{});
    CHECK(r.eyes.count(path) == 0);
}
