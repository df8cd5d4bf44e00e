// SPDX-License-Identifier: BSL-1.0
// Other hands on the lock directory and on tickets.
#include "integration/support/fault_rig.hpp"

#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/server_counters.hpp"

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
};

// What is told after a beat, T/8, at the latest; with room for a slow machine.
constexpr auto soon = 3s;

} // namespace

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
    serve_all(r.f, users, 10);
    await_children(r.f, r.eyes, path, 0);
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
        serve_all(r.f, users, 4);
        CHECK(users.book.in_order(
            {users.all[0].get(), users.all[2].get(), users.all[3].get(), users.all[1].get()}));
        CHECK(users.book.violations() == journal::no_violations);
        await_children(r.f, r.eyes, path, 0);
    }
}

TEST_CASE("an old held ticket deleted from outside is told by its watch, without a beat") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    const auto path = fresh_path("directory");
    contender holder{s, path};
    acquire_now(f, holder);
    // Its own, once it is a beat old.
    f.run_until(
        [&] { return server_counters::read(shared_server().port()).at("zk_watch_count") == 1; });
    (void)proxy.add_rule({.op = op::multi, .times = 0, .action = action::hold});
    REQUIRE(eyes.client().remove(path + "/" + eyes.children(path)[0]) == 0);
    f.run_until([&] { return holder.loss.has_value(); }, soon);
    CHECK(*holder.loss == error::ticket_deleted);
    CHECK(proxy.stats().connections == 1);
}

namespace {

void delete_all(onlooker& eyes, const std::string& path) {
    for (const auto& name : eyes.children(path))
        REQUIRE(eyes.client().remove(path + "/" + name) == 0);
    REQUIRE(eyes.client().remove(path) == 0);
}

} // namespace

TEST_CASE("a second acquire of a session whose ticket and directory are gone excludes a third") {
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("anew");
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    session t{f.context, impatient(shared_server().address())};
    journal book;
    contender dead{s, path};
    contender second{s, path, &book};
    contender third{s, path, &book};
    contender fourth{t, path, &book};
    acquire_now(f, dead);
    settle(f, s);
    delete_all(eyes, path);
    second.acquire(); // the path is made anew, and this ticket has the dead one's sequence
    f.run_until([&] { return second.holds() && dead.loss; });
    CHECK(*dead.loss == error::ticket_deleted);
    third.acquire();
    fourth.acquire();
    await_children(f, eyes, path, 3);
    settle(f, s);
    settle(f, t);
    CHECK(second.lock.is_held());
    CHECK_FALSE(third.holds());
    CHECK_FALSE(fourth.holds());
    CHECK(eyes.count(path) == 3);
    third.release_when_granted = fourth.release_when_granted = true;
    second.release();
    f.run_until([&] { return third.completed == 2 && fourth.completed == 2; });
    CHECK(*second.release_result == error_code{});
    CHECK(book.grants.size() == 3);
    CHECK(book.violations() == journal::no_violations);
    await_children(f, eyes, path, 0);
}

namespace {

struct reaped_rig {
    zookeeper_server server{{.container_check_ms = 20}};
    const std::string path = "/locks/orders/today"; // the parents go as well
    onlooker eyes{server.address()};
    fixture f;
    session s{f.context, impatient(server.address())};
    session t{f.context, impatient(server.address())};
    journal book;
    contender one{s, path, &book};
    contender other{t, path, &book};

    bool is_there() { return eyes.client().exists(path) == 0; }
    [[nodiscard]] bool idle() const {
        return one.started == one.completed && other.started == other.completed;
    }
};

} // namespace

TEST_CASE("a working lock whose path is removed under it completes every acquire") {
    reaped_rig r;
    int failed = 0;
    int vanished = 0;
    bool was_there = false;
    for (const auto user : {&r.one, &r.other})
        user->release_when_granted = true;
    r.other.hold_for = 1ms;
    // Breaks of all lengths about the server's interval: the path goes at every step of an acquire.
    boost::asio::steady_timer rest{r.f.context};
    for (int round = 0; round < 120; ++round) {
        for (const auto user : {&r.one, &r.other})
            user->acquire();
        r.f.run_until([&] { return r.idle(); });
        failed += r.one.failed() + r.other.failed();
        bool rested = false;
        rest.expires_after(round % 40 * 1ms);
        rest.async_wait([&](const error_code&) { rested = true; });
        r.f.run_until([&] { return rested; });
        const bool there = r.is_there();
        vanished += was_there && !there ? 1 : 0;
        was_there = there;
    }
    CHECK(failed == 0);
    CHECK(vanished > 0);
    CHECK(r.one.grants + r.other.grants == 240);
    CHECK(r.book.violations() == journal::no_violations);
    r.f.run_until([&] { return !r.is_there(); }); // nothing of ours keeps it
}
