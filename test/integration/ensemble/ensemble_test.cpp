// SPDX-License-Identifier: BSL-1.0
// Three servers: what happens to holders and waiters when one of them goes.
#include "integration/support/fault_rig.hpp"
#include "support/ensemble.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/pump.hpp"

namespace {

ensemble::options patient() {
    ensemble::options how;
    how.server.max_session_timeout_ms = 40'000;
    return how;
}

session_options default_like(const std::string& servers) {
    auto options = impatient(servers);
    options.timeout = 15s;
    return options;
}

// Two sessions that give up a server soon: one holds, the other waits for it.
struct holder_and_waiter {
    explicit holder_and_waiter(const std::string& servers)
        : s(f.context, short_lived(servers)), t(f.context, short_lived(servers)) {
        acquire_now(f, holder);
        waiter.acquire();
        settle(f, t);
    }

    static session_options short_lived(const std::string& servers) {
        auto options = impatient(servers);
        options.timeout = 2s;
        return options;
    }

    fixture f;
    session s;
    session t;
    contender holder{s, "/locks/orders"};
    contender waiter{t, "/locks/orders"};
};

} // namespace

TEST_CASE("each server killed in turn under a working crowd: nobody is lost, nothing overlaps") {
    ensemble servers{patient()};
    fixture f;
    std::vector<std::unique_ptr<session>> owned;
    std::vector<session*> all;
    for (int i = 0; i < 3; ++i) {
        owned.push_back(
            std::make_unique<session>(f.context, default_like(servers.connect_string())));
        all.push_back(owned.back().get());
    }
    crowd users{all, "/locks/orders", 12};
    users.release_when_granted(2ms);
    const auto again = [&] {
        for (const auto& user : users.all)
            if (user->started == user->completed)
                user->acquire();
    };
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const auto enough = users.served() + 100;
        f.run_until([&] {
            again();
            return users.served() >= enough;
        });
        servers.kill(i);
        const auto more = users.served() + 100;
        f.run_until([&] {
            again();
            return users.served() >= more;
        });
        servers.start(i);
        servers.wait_until_serving();
    }
    f.run_until([&] { return users.all_done(); });
    CHECK(users.failures() == 0);
    CHECK(users.book.violations() == journal::no_violations);
    onlooker eyes{servers.server(0).address()};
    await_children(f, eyes, "/locks/orders", 0);
}

TEST_CASE("the holder's server hangs: the session moves on, and the lock is kept") {
    ensemble servers{patient()};
    const auto follower = servers.followers().front();
    const auto other = servers.followers().back();
    frame_proxy proxy{servers.server(follower).port()};
    fixture f;
    session s{f.context, default_like(proxy.address())};
    session direct{f.context, default_like(servers.server(other).address())};
    contender holder{s, "/locks/orders"};
    contender waiter{direct, "/locks/orders"};
    acquire_now(f, holder);
    waiter.acquire();
    onlooker eyes{servers.server(other).address()};
    await_children(f, eyes, "/locks/orders", 2);
    const auto id = s.id();
    const auto deadline = holder.lock.deadline();
    proxy.redirect(servers.server(other).port()); // where the next attempt goes
    servers.pause(follower);
    f.run_until([&] { return holder.lock.deadline() > deadline + 1s; });
    CHECK(holder.lock.is_held());
    CHECK(s.id() == id);
    holder.release();
    f.run_until([&] { return waiter.holds() && holder.release_result; });
    CHECK(*holder.release_result == error_code{});
    CHECK(waiter.token > holder.token);
    servers.resume(follower);
}

TEST_CASE("creates lost at one server and looked for at another leave one ticket each") {
    ensemble servers{patient()};
    const auto leader = servers.leader();
    const auto followers = servers.followers();
    frame_proxy proxy{servers.server(leader).port()};
    fixture f;
    session s{f.context, default_like(proxy.address())};
    connect(f, s);
    onlooker eyes{servers.server(leader).address()};
    contender user{s, "/locks/orders"};
    for (std::size_t round = 0; round < 20; ++round) {
        // Executed at one server; the session goes on at one that may not have heard of it yet.
        const auto rule =
            proxy.add_rule({.op = op::multi, .path = "/locks/orders", .action = action::cut_after});
        const auto next = round % 2 == 0 ? followers[round / 2 % 2] : leader;
        user.acquire();
        proxy.redirect(servers.server(next).port());
        f.run_until([&] { return user.completed == user.started; });
        REQUIRE(user.holds());
        CHECK(proxy.hits(rule) == 1);
        proxy.clear_rules();
        CHECK(eyes.count("/locks/orders") == 1);
        user.release();
        f.run_until([&] { return user.completed == user.started; });
        CHECK(*user.release_result == error_code{});
        await_children(f, eyes, "/locks/orders", 0);
    }
}

TEST_CASE("without a majority nothing is granted, and a holder is told in time") {
    ensemble servers;
    const auto followers = servers.followers();
    holder_and_waiter users{servers.connect_string()};
    auto& f = users.f;
    auto& holder = users.holder;
    auto& waiter = users.waiter;
    for (const auto i : followers)
        servers.kill(i);
    f.run_until([&] { return holder.loss.has_value(); });
    CHECK(*holder.loss == error::lease_lost);
    CHECK(holder.lost_at <= holder.lock.deadline());
    CHECK_FALSE(waiter.holds());
    for (const auto i : followers)
        servers.start(i);
    servers.wait_until_serving();
    f.run_until([&] { return waiter.holds(); });
    CHECK(waiter.granted_at > holder.lost_at);
    CHECK(waiter.token > holder.token);
}

TEST_CASE("a server that its majority has left and that serves reads takes no session of ours") {
    ensemble::options how;
    how.server.system_properties = {"readonlymode.enabled=true"};
    ensemble servers{how};
    const auto lone = servers.leader();
    const auto followers = servers.followers();
    frame_proxy proxy{servers.server(lone).port()};
    holder_and_waiter users{proxy.address()};
    for (const auto i : followers)
        servers.kill(i);
    users.f.run_until(now_and_then([&] { return servers.server(lone).mode() == "read-only"; }));
    const auto before = proxy.stats().connections;
    users.f.run_until([&] { return proxy.stats().connections >= before + 6; }); // each refused
    CHECK_FALSE(users.waiter.holds());
    CHECK(users.holder.loss == error::lease_lost);
    CHECK(users.holder.lost_at <= users.holder.lock.deadline());
    CHECK(proxy.stats().count(direction::to_client, op::connect) == 2);
    for (const auto i : followers)
        servers.start(i);
    servers.wait_until_serving();
    users.f.run_until([&] { return users.waiter.holds(); });
    CHECK(users.waiter.token > users.holder.token);
}
