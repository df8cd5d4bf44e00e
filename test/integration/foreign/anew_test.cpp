// SPDX-License-Identifier: BSL-1.0
// A lock directory that vanishes while this session holds or waits there without knowing it yet,
// and is made anew: sequence numbers begin again, and old and new tickets share them.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

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
    dead.acquire();
    f.run_until([&] { return dead.holds(); });
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

// A session holds, its ticket and the directory are deleted, another session makes the path anew
// and holds there, with the same sequence; all within less than a beat, so that nothing was
// noticed.
struct dead_holder_rig {
    onlooker eyes{shared_server().address()};
    frame_proxy proxy{shared_server().port()};
    const std::string path = fresh_path("anew");
    fixture f;
    session s{f.context, impatient(proxy.address())};
    session t{f.context, impatient(shared_server().address())};
    contender dead{s, path};
    contender holder{t, path};
    contender waiter{s, path};

    dead_holder_rig() {
        connect(f, t);
        dead.acquire();
        f.run_until([&] { return dead.holds(); });
        delete_all(eyes, path);
        holder.acquire();
        f.run_until([&] { return holder.holds(); });
    }

    void check_that_the_waiter_waits() {
        f.run_until([&] { return dead.release_result.has_value(); });
        settle(f, s);
        CHECK_FALSE(waiter.holds());
        CHECK(holder.lock.is_held());
        await_children(f, eyes, path, 2);
        holder.release();
        f.run_until([&] { return waiter.holds(); });
        CHECK(waiter.token > holder.token);
    }
};

} // namespace

TEST_CASE("a waiter that lines up as its session's dead ticket is released does not overtake") {
    for (int round = 0; round < 5; ++round) {
        dead_holder_rig r;
        if (round % 2 == 0)
            r.dead.release();
        r.waiter.acquire();
        if (round % 2 == 1)
            r.dead.release();
        r.check_that_the_waiter_waits();
    }
}

TEST_CASE("a waiter in line when its session's dead ticket is released does not overtake") {
    dead_holder_rig r;
    r.waiter.acquire();
    settle(r.f, r.s);
    r.dead.release();
    r.check_that_the_waiter_waits();
}

TEST_CASE("a waiter that lists while its session's dead ticket leaves does not overtake") {
    dead_holder_rig r;
    const auto rule = r.proxy.add_rule({.direction = direction::to_client,
                                        .op = op::get_children2,
                                        .path = r.path,
                                        .action = action::hold});
    r.waiter.acquire();
    // Without a listing on its way there is nothing to be held: then this is the test before.
    await_children(r.f, r.eyes, r.path, 2);
    r.f.run_until([&, tries = 0]() mutable { return r.proxy.hits(rule) > 0 || ++tries > 20; });
    r.dead.release();
    r.f.context.restart();
    r.f.context.poll();
    r.proxy.clear_rules();
    r.proxy.release_held();
    r.check_that_the_waiter_waits();
}

TEST_CASE("waiters of both sessions behind dead tickets are served one at a time") {
    onlooker eyes{shared_server().address()};
    for (int round = 0; round < 5; ++round) {
        const auto path = fresh_path("anew");
        fixture f;
        session s{f.context, impatient(shared_server().address())};
        session t{f.context, impatient(shared_server().address())};
        crowd old{{&s, &t}, path, 6};
        old.line_up();
        f.run_until([&] { return old.served() == 1; });
        await_children(f, eyes, path, 6);
        delete_all(eyes, path);
        crowd fresh{{&t, &s}, path, 6};
        fresh.release_when_granted();
        for (const auto& user : fresh.all)
            user->acquire();
        // The dead holder does not know yet, and releases.
        old.release_when_granted();
        f.run_until([&] { return old.all_done() && fresh.all_done(); });
        CHECK(old.failures() == 0);
        CHECK(fresh.failures() == 0);
        CHECK(fresh.book.violations() == journal::no_violations);
        CHECK(old.served() == 6);
        CHECK(fresh.served() == 6);
        await_children(f, eyes, path, 0);
    }
}
