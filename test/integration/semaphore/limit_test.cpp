// SPDX-License-Identifier: BSL-1.0
// The limit of a semaphore, raised and lowered, and a semaphore that is removed, on a real server.
#include "integration/fault/fault_outage.hpp"
#include "integration/semaphore/two_semaphores.hpp"
#include "integration/support/cancel_support.hpp"

TEST_CASE("a higher limit wakes the first in line, of another session and of the same") {
    two_semaphores f;
    auto all = acquire_now(f, f.ours.permits(3));
    probe first;
    f.theirs.permits(2).acquire(first.make());
    f.await_line(1);
    probe second;
    f.ours.acquire(second.make());
    f.await_line(2);
    CHECK(set_now(f, f.theirs, 5) == error_code{});
    CHECK(end_of(f, first) == error_code{});
    CHECK_FALSE(second.done());
    CHECK(set_now(f, f.ours, 6) == error_code{});
    CHECK(end_of(f, second) == error_code{});
    CHECK(all.is_held());
    CHECK(limit_now(f, f.theirs) == limit_of(6));
}

TEST_CASE("a lower limit takes nothing away, and counts for those who come") {
    two_semaphores f;
    auto two = acquire_now(f, f.ours.permits(2));
    auto one = acquire_now(f, f.ours);
    CHECK(set_now(f, f.theirs, 1) == error_code{});
    CHECK(two.is_held());
    CHECK(children_of(f.path + "/leases").size() == 3);
    CHECK(try_now(f, f.theirs, 2) == error::too_many);
    probe next;
    f.theirs.acquire(next.make());
    f.await_line(1);
    release_now(f, two);
    CHECK_FALSE(next.done()); // one is held, and there is one
    release_now(f, one);
    CHECK(end_of(f, next) == error_code{});
}

TEST_CASE("an object states the limit that it has set, and others are told that theirs differs") {
    two_semaphores f;
    semaphore other{f.there, f.path, 3};
    CHECK(set_now(f, f.ours, 4) == error_code{}); // and so the semaphore is made
    CHECK(try_now(f, f.ours, 4) == error_code{});
    CHECK(try_now(f, other) == error::limit_differs);
    const auto none = set_now(f, other, 0);
    CHECK(none == boost::asio::error::invalid_argument);
    CHECK(try_now(f, other) == error::limit_differs);
    auto moved = std::move(f.ours);
    CHECK(set_now(f, f.theirs, 3) == error_code{});
    CHECK(try_now(f, moved) == error::limit_differs);
    CHECK(try_now(f, other) == error_code{});
}

TEST_CASE("a limit or a number of permits that is refused is told with its value") {
    two_semaphores f;
    CHECK(set_now(f, f.ours, 4) == error_code{});
    const auto told = [&](const auto& lock) {
        diagnostics why;
        probe tried;
        lock.try_acquire(with_diagnostics(why, tried.make()));
        f.run_until([&] { return tried.done(); });
        CHECK(tried.code());
        CHECK(why.path == f.path);
        return why.cause;
    };
    semaphore other{f.there, f.path, 3};
    CHECK(told(other) == "the limit of " + f.path + " is 4, and 3 is stated");
    semaphore any{f.there, f.path};
    CHECK(told(any.permits(5)) == "the limit of " + f.path + " is 4, and 5 permits are wanted");
    CHECK(told(any.permits(0)) == f.path + ": permits(0), and 1 is the least");
    semaphore none{f.there, f.path, 0};
    CHECK(told(none) == f.path + ": a limit of 0 is stated, and 1 is the least");
}

TEST_CASE("a semaphore is removed where nobody holds or stands, and made again") {
    two_semaphores f;
    CHECK(remove_now(f, f.theirs) == error_code{}); // there is none
    auto one = acquire_now(f, f.ours);
    CHECK(remove_now(f, f.theirs) == error::would_block);
    CHECK(remove_now(f, f.ours) == error::would_block);
    CHECK(one.is_held());
    CHECK(limit_now(f, f.theirs) == limit_of(3));
    release_now(f, one);
    CHECK(remove_now(f, f.ours) == error_code{});
    CHECK(children_of(f.path).empty());
    CHECK(try_now(f, f.theirs) == error::no_limit);
    CHECK(set_now(f, f.theirs, 2) == error_code{});
    CHECK(try_now(f, f.theirs, 2) == error_code{});
    CHECK(try_now(f, f.ours) == error::limit_differs);
}

TEST_CASE("other nodes are left alone by a remove") {
    two_semaphores f;
    foreign_client hand{shared_server().address()};
    hand.create("/locks"); // it may be there
    REQUIRE(hand.create(f.path) == 0);
    REQUIRE(hand.create(f.path + "/limit", "7") == 0);
    CHECK(remove_now(f, f.ours) == error::wrong_kind);
    CHECK(set_now(f, f.ours, 2) == error::wrong_kind);
    CHECK(limit_now(f, f.ours).first == error::wrong_kind);
    CHECK(children_of(f.path) == std::vector<std::string>{"limit"});
    mutex lock{f.here, f.path + "-mutex"};
    auto held = acquire_now(f, lock);
    semaphore misplaced{f.here, f.path + "-mutex"};
    CHECK(set_now(f, misplaced, 2) == error::wrong_kind);
    CHECK(remove_now(f, misplaced) == error_code{});
    CHECK(held.is_held());
}

TEST_CASE("a change whose answer was lost is made, and told, once it is") {
    const auto fault = GENERATE(action::cut_before, action::cut_after, action::cut_within);
    const bool session_ends = GENERATE(false, true);
    const bool removed = GENERATE(false, true);
    CAPTURE(to_text(fault), session_ends, removed);
    outage_rig r;
    const auto path = fresh_path("limit-fault");
    semaphore its{r.s, path};
    REQUIRE(set_now(r.f, its, 3) == error_code{});
    const auto rule = r.prepare({.op = op::multi, .path = path, .action = fault});
    probe change;
    if (removed)
        its.remove(change.make());
    else
        its.set_limit(5, change.make());
    r.pass_through(rule, session_ends);
    CHECK(end_of(r.f, change) == error_code{});
    session other{r.f.context, options_for()};
    semaphore theirs{other, path};
    CHECK(limit_now(r.f, theirs) == (removed ? no_limit_told() : limit_of(5)));
}

TEST_CASE("a change that fails says where, and one after the end of the session says so") {
    fixture f;
    session s{f.context, options_for()};
    semaphore its{s, "no path"};
    diagnostics told;
    CHECK(result_of(f, [&](auto t) { its.set_limit(2, with_diagnostics(told, std::move(t))); }) ==
          error::bad_path);
    CHECK(told.path == "no path");
    semaphore other{s, fresh_path("limit")};
    CHECK(set_now(f, other, 2) == error_code{});
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    CHECK(result_of(f, [&](auto t) { other.remove(with_diagnostics(told, std::move(t))); }) ==
          error::session_closed);
    CHECK(told.path == other.path());
    CHECK(limit_now(f, other).first == error::session_closed);
}
