// SPDX-License-Identifier: BSL-1.0
// Other hands on the lock directory and on tickets.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/server_counters.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

struct directory_rig {
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    session t{f.context, impatient(shared_server().address())};

    void delete_children(const std::string& path) {
        for (const auto& name : eyes.children(path))
            eyes.client().remove(path + "/" + name);
    }
    // Others create there meanwhile: until it is empty for one instant.
    void delete_directory(const std::string& path) {
        int rc = -111;
        while (rc == -111) {
            delete_children(path);
            rc = eyes.client().remove(path);
        }
        REQUIRE(rc == 0);
    }
    std::string node_of(const std::string& path, fencing_token token) {
        for (const auto& name : eyes.children(path))
            if (eyes.info(path + "/" + name).czxid == static_cast<std::int64_t>(token.czxid()))
                return path + "/" + name;
        return {};
    }
};

// What is told after a beat, T/8, at the latest; with room for a slow machine.
constexpr auto soon = 3s;

} // namespace

TEST_CASE("the lock directory deleted under a line: the holder loses, all others are served") {
    directory_rig r;
    const auto path = fresh_path("directory");
    crowd users{{&r.s, &r.t}, path, 20};
    users.line_up();
    r.f.run_until([&] { return users.served() == 1; });
    await_children(r.f, r.eyes, path, 20);
    const auto holder = users.book.grants.front().who;
    r.delete_directory(path);
    users.book.excuse_holders();
    r.f.run_until([&] { return holder->loss.has_value(); }, soon);
    CHECK(*holder->loss == error::ticket_deleted);
    await_children(r.f, r.eyes, path, 19);
    users.release_when_granted();
    r.f.run_until([&] { return users.all_done(); });
    CHECK(users.served() == 20);
    CHECK(users.failures() == 0);
    CHECK(users.book.violations() == journal::no_violations);
    await_children(r.f, r.eyes, path, 0);
}

TEST_CASE("the lock directory deleted and made anew by others, with a ticket of theirs in it") {
    directory_rig r;
    const auto path = fresh_path("directory");
    crowd users{{&r.s, &r.t}, path, 10};
    users.line_up();
    r.f.run_until([&] { return users.served() == 1; });
    await_children(r.f, r.eyes, path, 10);
    const auto holder = users.book.grants.front().who;
    r.delete_directory(path);
    auto& other = r.eyes.client();
    REQUIRE(other.create(path) == 0);
    std::string theirs;
    REQUIRE(other.create(path + "/x-1-", {}, create_mode::ephemeral_sequential, &theirs) == 0);
    const auto place = other.exists(theirs);
    REQUIRE(place == 0);
    await_children(r.f, r.eyes, path, 10); // theirs, and the waiters
    r.f.run_until([&] { return holder->loss.has_value(); }, soon);
    CHECK(*holder->loss == error::ticket_deleted);
    // None of those that lined up behind theirs may hold now.
    CHECK(users.served() == 1);
    REQUIRE(r.eyes.client().remove(theirs) == 0);
    users.release_when_granted();
    r.f.run_until([&] { return users.all_done(); });
    CHECK(users.served() == 10);
    CHECK(users.failures() == 0);
    CHECK(users.book.violations() == journal::no_violations);
    await_children(r.f, r.eyes, path, 0);
}

TEST_CASE("an idle lock directory that was deleted is made again, and tokens go on growing") {
    directory_rig r;
    const auto path = fresh_path("directory");
    contender one{r.s, path};
    contender other{r.t, path};
    fencing_token last;
    for (int i = 0; i < 5; ++i) {
        auto& user = i % 2 == 0 ? one : other;
        user.acquire();
        r.f.run_until([&] { return user.completed % 2 == 1; });
        REQUIRE(user.holds());
        CHECK(user.token > last);
        last = user.token;
        user.release();
        r.f.run_until([&] { return user.completed % 2 == 0; });
        REQUIRE(r.eyes.client().remove(path) == 0);
    }
}

TEST_CASE(
    "a directory deleted and made anew between two acquires: the old incarnation is given up") {
    directory_rig r;
    const auto path = fresh_path("directory");
    contender one{r.s, path};
    contender other{r.t, path};
    one.acquire();
    r.f.run_until([&] { return one.holds(); });
    one.release();
    r.f.run_until([&] { return one.release_result.has_value(); });
    REQUIRE(r.eyes.client().remove(path) == 0);
    other.acquire(); // makes it anew
    r.f.run_until([&] { return other.holds(); });
    one.acquire(); // still knows the old one
    await_children(r.f, r.eyes, path, 2);
    settle(r.f, r.s);
    await_children(r.f, r.eyes, path, 2);
    const auto names = r.eyes.children(path);
    CHECK(names[0].substr(0, names[0].size() - 10) == names[1].substr(0, names[1].size() - 10));
    other.release();
    r.f.run_until([&] { return one.completed == 3; });
    CHECK(one.token > other.token);
}

TEST_CASE("a waiting ticket deleted from outside lines up again, and nobody is granted twice") {
    for (const bool same_session : {false, true}) {
        INFO((same_session ? "neighbours" : "two sessions"));
        directory_rig r;
        const auto path = fresh_path("directory");
        crowd users{{&r.s, same_session ? &r.s : &r.t}, path, 4};
        users.line_up_in_order(r.f, r.eyes);
        r.f.run_until([&] { return users.all[0]->holds(); });
        const auto names = r.eyes.children(path);
        REQUIRE(r.eyes.client().remove(path + "/" + names[1]) == 0);
        await_children(r.f, r.eyes, path, 4, 5s); // it is back, at the end
        const auto now = r.eyes.children(path);
        CHECK(now[0] == names[0]);
        CHECK(now[1] == names[2]);
        users.release_when_granted();
        r.f.run_until([&] { return users.all_done(); });
        CHECK(users.served() == 4);
        CHECK(users.book.in_order(
            {users.all[0].get(), users.all[2].get(), users.all[3].get(), users.all[1].get()}));
        CHECK(users.book.violations() == journal::no_violations);
        await_children(r.f, r.eyes, path, 0);
    }
}

TEST_CASE("a waiting ticket deleted from outside while its predecessor releases is granted once") {
    for (int round = 0; round < 20; ++round) {
        directory_rig r;
        const auto path = fresh_path("directory");
        crowd users{{&r.s, &r.t}, path, 3};
        users.line_up_in_order(r.f, r.eyes);
        r.f.run_until([&] { return users.all[0]->holds(); });
        settle(r.f, r.t);
        const auto victim = path + "/" + r.eyes.children(path)[1];
        users.all[0]->release();
        if (round % 2 == 0) // the release first, or the deletion
            r.f.context.poll();
        r.eyes.client().remove(victim);
        users.release_when_granted();
        r.f.run_until([&] { return users.all_done(); });
        CHECK(users.failures() == 0);
        CHECK(users.served() == 3);
        await_children(r.f, r.eyes, path, 0);
    }
}

TEST_CASE("a held ticket deleted from outside is told as lost, and the next is granted") {
    directory_rig r;
    const auto path = fresh_path("directory");
    contender holder{r.s, path};
    contender waiter{r.t, path};
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
    waiter.acquire();
    await_children(r.f, r.eyes, path, 2);
    REQUIRE(r.eyes.client().remove(r.node_of(path, holder.token)) == 0);
    const auto deleted = lease_clock::now();
    r.f.run_until([&] { return holder.loss && waiter.holds(); }, soon);
    CHECK(*holder.loss == error::ticket_deleted);
    CHECK_FALSE(holder.lock.is_held());
    CHECK(holder.lost_at - deleted < 2s); // a beat is half a second here
    CHECK(waiter.token > holder.token);
    holder.release();
    r.f.run_until([&] { return holder.release_result.has_value(); });
    CHECK(*holder.release_result == error::ticket_deleted);
    CHECK(waiter.lock.is_held());
    await_children(r.f, r.eyes, path, 1);
}

TEST_CASE("an old held ticket deleted from outside is told by its watch, without a beat") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    const auto path = fresh_path("directory");
    contender holder{s, path};
    holder.acquire();
    f.run_until([&] { return holder.holds(); });
    // Its own, once it is a beat old.
    f.run_until(
        [&] { return server_counters::read(shared_server().port()).at("zk_watch_count") == 1; });
    (void)proxy.add_rule({.op = op::multi, .times = 0, .action = action::hold});
    REQUIRE(eyes.client().remove(path + "/" + eyes.children(path)[0]) == 0);
    f.run_until([&] { return holder.loss.has_value(); }, soon);
    CHECK(*holder.loss == error::ticket_deleted);
    CHECK(proxy.stats().connections == 1);
}

TEST_CASE("the release of a ticket that another hand had deleted says so") {
    directory_rig r;
    const auto path = fresh_path("directory");
    contender holder{r.s, path};
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
    settle(r.f, r.s);
    REQUIRE(r.eyes.client().remove(r.node_of(path, holder.token)) == 0);
    holder.release(); // before the deletion can have been noticed
    r.f.run_until([&] { return holder.release_result.has_value(); });
    CHECK(*holder.release_result == error::ticket_deleted);
}
