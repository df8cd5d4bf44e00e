// SPDX-License-Identifier: BSL-1.0
// Each way in which a test makes a program lose its lock. The first session holds, and the second
// one waits (kit_fixture). The kit's sessions have a timeout of 15 s, and a beat each eighth of it.
#include "kit_fixture.hpp"

TEST_CASE("a lock is acquired, waited for and released without a server") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    kit_fixture::outcome next;
    kit_fixture::acquire(f.same_orders, next);
    f.servers.settle();
    CHECK_FALSE(next.code);
    CHECK(f.servers.children("/locks/orders").size() == 2);
    std::optional<error_code> released;
    lock.release([&](error_code error) { released = error; });
    f.servers.settle();
    CHECK(released == error_code());
    CHECK(next.code == error_code());
    CHECK(next.lock.is_held());
}

TEST_CASE("a deleted ticket loses its lock at once, and the next holds it") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    auto& loss = f.watch_loss(lock);
    kit_fixture::outcome next;
    kit_fixture::acquire(f.same_orders, next);
    f.servers.settle();
    f.servers.delete_ticket(lock);
    CHECK(loss == error::ticket_deleted);
    CHECK_FALSE(lock.is_held());
    CHECK(next.lock.is_held());
}

TEST_CASE("a lock that is handed over is lost, and nobody else of the program holds it") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    auto& loss = f.watch_loss(lock);
    kit_fixture::outcome next;
    kit_fixture::acquire(f.same_orders, next);
    f.servers.settle();
    const auto node = f.servers.hand_over(lock);
    CHECK(loss == error::ticket_deleted);
    CHECK_FALSE(next.code);
    f.servers.delete_node(node);
    CHECK(next.lock.is_held());
}

TEST_CASE("a lock is lost at its limit, and the next holds it a margin later") {
    kit_fixture f;
    lock_view limited = f.orders.at_most(1h);
    kit_fixture::outcome first;
    limited.acquire([&](error_code why, held_lock lock) { first = {why, std::move(lock)}; });
    f.servers.settle();
    auto& loss = f.watch_loss(first.lock);
    kit_fixture::outcome next;
    kit_fixture::acquire(f.same_orders, next);
    f.servers.advance(1h - 1s);
    CHECK_FALSE(loss);
    CHECK(first.lock.is_held());
    CHECK(first.lock.is_at_risk());
    f.servers.advance(1s);
    CHECK(loss == error::held_too_long);
    CHECK_FALSE(first.lock.is_held());
    CHECK_FALSE(next.code);
    f.servers.advance(2s); // more than the margin
    CHECK(next.lock.is_held());
}

TEST_CASE("an expired session loses its lock before the next holds it, and a new session follows") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    auto& loss = f.watch_loss(lock);
    std::optional<bool> both_hold;
    held_lock next;
    f.same_orders.acquire([&](error_code, held_lock granted) {
        both_hold = lock.is_held();
        next = std::move(granted);
    });
    const auto before = f.first.id();
    const auto began = f.servers.now();
    f.servers.expire(f.first);
    CHECK(loss == error::lease_lost);
    CHECK(both_hold == false);
    CHECK(next.is_held());
    CHECK(f.first.id() != before);
    CHECK(f.first.state() == session_state::connected);
    CHECK(f.servers.now() - began < 2 * testing::ensemble_options{}.timeout);
}

TEST_CASE("an expired session that holds nothing takes no time, and lines up again") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    kit_fixture::outcome next;
    kit_fixture::acquire(f.same_orders, next);
    f.servers.settle();
    const auto before = f.second.id();
    const auto began = f.servers.now();
    f.servers.expire(f.second);
    CHECK(f.second.id() != before);
    CHECK(f.servers.now() - began < 2s);
    CHECK_FALSE(next.code);
    lock = {};
    f.servers.settle();
    CHECK(next.lock.is_held());
}

TEST_CASE("a session that another program ends may believe in its lock beside the next") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    auto& loss = f.watch_loss(lock);
    std::optional<bool> both_hold;
    f.same_orders.acquire([&](error_code, held_lock) { both_hold = lock.is_held(); });
    f.servers.end_session(f.first);
    CHECK(both_hold == true);
    CHECK(loss == error::session_expired);
}

TEST_CASE("a session that is cut off for longer than its timeout loses its lock in time") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    auto& loss = f.watch_loss(lock);
    kit_fixture::outcome next;
    kit_fixture::acquire(f.same_orders, next);
    f.servers.settle();
    f.servers.cut_off(f.first, 60s); // four timeouts
    f.servers.advance(5s);
    CHECK_FALSE(loss);
    CHECK(lock.is_held());
    CHECK(f.first.state() == session_state::suspended);
    f.servers.advance(25s); // two timeouts in all
    CHECK(loss);
    CHECK_FALSE(lock.is_held());
    CHECK(next.lock.is_held());
}

TEST_CASE("a session that is cut keeps its lock") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    auto& loss = f.watch_loss(lock);
    f.servers.cut(f.first);
    f.servers.advance(2s);
    CHECK(f.first.state() == session_state::connected);
    f.servers.advance(5min);
    CHECK(lock.is_held());
    CHECK_FALSE(loss);
}

TEST_CASE("a stopped server costs the lock once the lease is over") {
    kit_fixture f;
    auto lock = f.acquire_orders();
    auto& loss = f.watch_loss(lock);
    f.servers.stop_server();
    f.servers.advance(40s); // longer than the session timeout
    CHECK(loss);
    CHECK_FALSE(lock.is_held());
    f.servers.start_server();
    f.servers.advance(40s);
    CHECK(f.acquire_orders().is_held());
}

TEST_CASE("ten thousand losses are told, one after the other") {
    kit_fixture f;
    for (int i = 0; i < 10'000; ++i) {
        auto lock = f.acquire_orders();
        bool lost = false;
        lock.wait_lost([&](error_code) { lost = true; });
        f.servers.delete_ticket(lock);
        REQUIRE(lost);
    }
}

TEST_CASE(
    "what waits for the end of a held lock waits without a server as long as the lease runs") {
    kit_fixture f;
    session patient{f.context, {.unreachable_limit = 1s}};
    mutex jobs{patient, "/locks/jobs"};
    mutex same_jobs{f.second, "/locks/jobs"};
    kit_fixture::outcome first;
    kit_fixture::acquire(jobs, first);
    f.servers.settle();
    REQUIRE(first.lock.is_held());
    std::optional<error_code> yielded;
    std::optional<error_code> written;
    std::optional<error_code> proclaimed;
    auto& loss = f.watch_loss(first.lock);
    first.lock.wait_yield([&](error_code why, const yield_request&) { yielded = why; });
    f.servers.advance(1s);
    f.servers.stop_server(); // from here on all three wait
    first.lock.write_guarded(
        node_writes().create("/data", "1"),
        [&](error_code why, const std::vector<node_result>&) { written = why; });
    first.lock.proclaim("ready", [&](error_code why) { proclaimed = why; });
    SECTION("the server comes back") {
        f.servers.advance(5s); // five times the patient session's unreachable_limit
        CHECK_FALSE(yielded);
        CHECK_FALSE(written);
        CHECK_FALSE(proclaimed);
        CHECK_FALSE(loss);
        REQUIRE(first.lock.is_held());
        f.servers.start_server();
        f.servers.advance(5s);
        CHECK(written == error_code());
        CHECK(proclaimed == error_code());
        CHECK_FALSE(yielded);
        std::optional<error_code> asked;
        same_jobs.ask_to_yield("maintenance", [&](error_code why) { asked = why; });
        f.servers.advance(1s);
        CHECK(yielded == error_code());
        first.lock = {};
        f.servers.advance(1s);
        CHECK(asked == error_code());
    }
    SECTION("the lock is lost") {
        f.servers.advance(30s);
        CHECK(loss == error::lease_lost);
        CHECK(yielded == error::lease_lost);
        CHECK(written == error::lease_lost);
        CHECK(proclaimed == error::lease_lost);
    }
}
