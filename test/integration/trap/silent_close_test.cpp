// SPDX-License-Identifier: BSL-1.0
// Trap 2: a send on a connection that the peer has reset closes it without a word, and leaves what
// was to be sent for the next connection.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("an acquire that meets a connection reset while idle succeeds with one ticket") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("silent");
    fixture f;
    session s{f.context, impatient(proxy.address())};
    connect(f, s);
    const auto id = s.id();
    contender user{s, path};
    for (int round = 0; round < 20; ++round) {
        proxy.cut_all();
        user.acquire(); // the first thing that the loop does: it has not seen the reset
        f.run_until([&] { return user.completed == user.started; });
        REQUIRE(user.holds());
        CHECK(user.lock.is_held());
        CHECK(eyes.count(path) == 1);
        user.release();
        f.run_until([&] { return user.release_result.has_value(); });
        CHECK(*user.release_result == error_code{});
        CHECK(eyes.count(path) == 0);
    }
    CHECK(s.id() == id);
}

TEST_CASE("a release that meets a connection reset while idle happens once") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("silent");
    fixture f;
    session s{f.context, impatient(proxy.address())};
    session other{f.context, impatient(shared_server().address())};
    contender user{s, path};
    contender next{other, path};
    for (int round = 0; round < 10; ++round) {
        user.acquire();
        f.run_until([&] { return user.holds(); });
        next.acquire();
        await_children(f, eyes, path, 2);
        proxy.cut_all();
        user.release();
        f.run_until([&] { return user.release_result && next.holds(); });
        CHECK(*user.release_result == error_code{});
        CHECK(next.token > user.token);
        CHECK(eyes.count(path) == 1);
        next.release();
        f.run_until([&] { return next.release_result.has_value(); });
    }
}

TEST_CASE("requests that follow unanswered ones into a reset connection take place once") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("silent");
    fixture f;
    session s{f.context, impatient(proxy.address())};
    crowd users{{&s}, path, 4};
    users.all[0]->acquire();
    f.run_until([&] { return users.all[0]->holds(); });
    // The second is created at the server, but its answer stays in the proxy.
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::multi, .path = path, .action = action::hold});
    users.all[1]->acquire();
    f.run_until([&] { return proxy.hits(rule) == 1; });
    proxy.cut_all();
    users.all[2]->acquire();
    users.all[3]->acquire();
    await_children(f, eyes, path, 4);
    CHECK(tickets_of(path, s.id()) == 4);
    users.release_when_granted();
    f.run_until([&] { return users.all_done(); });
    CHECK(users.served() == 4);
    CHECK(users.failures() == 0);
    CHECK(users.book.in_order(users.in_line()));
    CHECK(users.book.violations() == journal::no_violations);
    await_children(f, eyes, path, 0);
}
