// SPDX-License-Identifier: BSL-1.0
// Attempts and their limits, and the session's identity.
#include "unit/protocol/machine_fixture.hpp"

namespace {

std::vector<std::size_t> servers_tried(const machine_fixture& f) {
    std::vector<std::size_t> result;
    for (const auto& each : f.wire.connects)
        result.push_back(each.server);
    return result;
}

// Each attempt until then is refused.
void refuse_until(machine_fixture& f, instant end) {
    auto refused = f.wire.connects.size() - 1;
    while (f.now < end && f.machine.phase() != session_state::idle) {
        for (; refused < f.wire.connects.size(); ++refused)
            f.cut(disconnect_reason::auth_failed);
        f.pass(10ms);
    }
}

} // namespace

TEST_CASE("connecting asks for a new session and tells when it is there") {
    machine_fixture f;
    f.machine.connect(f.now);
    REQUIRE(f.wire.connects.size() == 1);
    CHECK(f.wire.connects[0].session.session_id == 0);
    CHECK(f.wire.connects[0].timeout == 16s);
    f.accept();
    CHECK(f.told.phases == texts{"connecting", "connected"});
    // A refused identity would end the connection before anything is answered on it.
    CHECK(f.told.connect_results.empty());
    f.reply("exists /", replies::ok());
    CHECK(f.told.connect_results == texts{"none"});
    f.machine.connect(f.now); // again: told at once
    CHECK(f.told.connect_results.size() == 2);
    CHECK(f.wire.connects.size() == 1);
}

TEST_CASE("the time limit of connecting ends nothing else that waits for a session") {
    machine_fixture f;
    f.machine.connect(f.now);
    acquire_request what{.path = "/l"};
    SECTION("an acquire of a semaphore") {
        what.permits = 1;
        f.machine.acquire(f.now, 1, what);
    }
    SECTION("an acquire of a lock of one node") {
        what.single_node = true;
        f.machine.acquire(f.now, 1, what);
    }
    SECTION("a look-up") { f.machine.look_up(f.now, 1, what); }
    SECTION("an inquiry") { f.inquire(1, {.op = operation::get, .path = "/l"}); }
    f.pass(10s);
    CHECK(f.told.connect_results == texts{"connect_timeout"});
    CHECK(f.events().empty());
    CHECK(f.machine.phase() == session_state::connecting);
    f.pass(19s);
    f.accept();
    CHECK_FALSE(f.open().empty());
}

TEST_CASE("a session that holds nothing is not left either") {
    machine_fixture f;
    f.machine.connect(f.now);
    f.pass(9s);
    f.accept();
    f.pass(1s);
    CHECK(f.told.connect_results == texts{"connect_timeout"});
    CHECK(f.machine.phase() == session_state::connected);
    f.cut();
    CHECK(f.machine.phase() == session_state::suspended);
}

TEST_CASE("no attempt begins before the end of the one before is told") {
    machine_fixture f;
    f.machine.connect(f.now);
    f.now += 10s;
    f.machine.on_time(f.now); // gives up: what was under way is dropped
    REQUIRE(f.machine.phase() == session_state::idle);
    REQUIRE(f.wire.connects.size() == 1);
    f.machine.connect(f.now);
    CHECK(f.machine.phase() == session_state::connecting);
    CHECK(f.wire.connects.size() == 1);
    SECTION("and then it begins at once") {
        f.cut();
        CHECK(f.wire.connects.size() == 2);
        f.accept();
        CHECK(f.machine.phase() == session_state::connected);
    }
    SECTION("nor is a late answer to that one taken for the new one's") {
        f.accept();
        CHECK(f.machine.phase() == session_state::connecting);
        f.cut();
        CHECK(f.wire.connects.size() == 2);
    }
}

TEST_CASE("one server that refuses an identity is passed by") {
    machine_fixture f(machine_fixture::three_servers());
    f.machine.connect(f.now);
    f.cut(disconnect_reason::auth_failed);
    f.cut(disconnect_reason::auth_failed);
    CHECK(f.told.connect_results.empty());
    CHECK(servers_tried(f) == std::vector<std::size_t>{0, 1, 2});
    SECTION("by one that takes it") {
        f.accept();
        f.reply("exists /", replies::ok());
        CHECK(f.told.connect_results == texts{"none"});
    }
    SECTION("and what another server has to say is waited for") {
        f.cut();
        f.pass(1s);
        CHECK(f.told.connect_results.empty());
        CHECK(servers_tried(f) == std::vector<std::size_t>{0, 1, 2, 0});
    }
    SECTION("until all servers of a round have refused") {
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.told.connect_results == texts{"auth_failed"});
        CHECK(f.machine.phase() == session_state::idle);
        f.machine.connect(f.now); // asked again, it asks them all again
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.told.connect_results.size() == 1);
    }
}

TEST_CASE(
    "an identity that is refused behind the handshake is refused, however late that is told") {
    auto options = machine_fixture::three_servers();
    options.shortest_backoff = options.longest_backoff = 10ms;
    machine_fixture f(options);
    f.machine.connect(f.now);
    for (int i = 0; i < 3; ++i) {
        CHECK(f.told.connect_results.empty());
        f.accept();
        f.pass(20ms);
        f.cut(disconnect_reason::auth_failed);
    }
    CHECK(f.told.connect_results == texts{"auth_failed"});
}

TEST_CASE("a server that refused a ticket is tried once more before another one") {
    machine_fixture f(machine_fixture::three_servers());
    f.machine.connect(f.now);
    f.cut(disconnect_reason::refused_once);
    f.cut(disconnect_reason::auth_failed);
    f.cut(disconnect_reason::auth_failed);
    CHECK(f.told.connect_results.empty());
    f.cut(disconnect_reason::refused_once);
    CHECK(servers_tried(f) == std::vector<std::size_t>{0, 0, 1, 2, 2});
    SECTION("its second refusal counts") {
        f.cut(disconnect_reason::auth_failed);
        CHECK(f.told.connect_results == texts{"auth_failed"});
    }
    SECTION("a connection that is lost is no refusal") {
        f.cut();
        CHECK(f.told.connect_results.empty());
    }
}

TEST_CASE("servers that all refuse cost no lock whose lease runs, and no waiter beside it") {
    auto options = machine_fixture::three_servers();
    machine_fixture f(options);
    f.hold();
    f.acquire(2, "/m");
    const auto deadline = *f.told.deadline;
    f.cut();
    refuse_until(f, deadline - 2s);
    CHECK(f.events().empty());
    CHECK(f.machine.phase() == session_state::suspended);
    SECTION("up to its deadline") {
        refuse_until(f, deadline + 2s);
        auto told = f.events();
        std::ranges::sort(told);
        CHECK(told == texts{"failed 2 auth_failed", "lost 1 lease_lost"});
        CHECK(f.machine.phase() == session_state::idle);
    }
    SECTION("where one takes it again") {
        f.accept();
        CHECK(f.events().empty());
        CHECK(f.machine.phase() == session_state::connected);
    }
}

TEST_CASE("another session's id on a connection says that the session before is over") {
    machine_fixture f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.acquire(3, "/m");
    f.reply("get /m", replies::folder(5)); // its create stays unanswered
    f.cut();
    f.pass(1s);
    f.accept(0x303);
    CHECK(f.events() == texts{"lost 1 session_expired"});
    CHECK(f.machine.session().session_id == 0x303);
    CHECK(f.open() == texts{"check /l", "enqueue /l/turn-5-lock-", "enqueue /m/turn-5-lock-"});
    f.reply("check /l", replies::ok());
    f.enqueued(2, 0);
    CHECK(f.events() == texts{"granted 2 token 102"});
    f.cut();
    f.pass(1s);
    f.accept(0x303);
    CHECK(f.events().empty()); // the same one
}

TEST_CASE("where no tick is stated, no timeout is warned of") {
    machine_fixture f;
    f.machine.connect(f.now);
    f.accept(our_session, 1ms);
    CHECK(f.told.notes.empty());
}

TEST_CASE("a session timeout of less than two stated ticks is warned of, once for each session") {
    auto options = machine_fixture::defaults();
    options.tick = 8s + 1ns; // the servers grant 16 s
    machine_fixture f(options);
    f.machine.connect(f.now);
    f.accept();
    REQUIRE(f.told.notes.size() == 1);
    CHECK(f.told.notes.front().find("two ticks") != std::string::npos);
    f.cut();
    f.accept();
    CHECK(f.told.notes.size() == 1);
}

TEST_CASE("a name that is still looked up is asked for again after the shortest delay") {
    machine_fixture f;
    f.acquire(1);
    for (std::size_t i = 1; i <= 20; ++i) {
        f.cut(disconnect_reason::no_address);
        CHECK(f.wire.connects.size() == i);
        f.pass(50ms);
        CHECK(f.wire.connects.size() == i + 1);
    }
}

TEST_CASE("silent servers leave connect() the time to reach another one") {
    auto options = machine_fixture::three_servers();
    options.timeout = 60s; // a quarter of it is more than connect_timeout
    machine_fixture f(options);
    f.machine.connect(f.now);
    for (std::size_t silent = 1; silent <= 2; ++silent) {
        f.pass(3500ms);
        REQUIRE(f.wire.connects.size() == silent + 1);
    }
    f.accept();
    f.reply("exists /", replies::ok());
    CHECK(f.told.connect_results == texts{"none"});
}

TEST_CASE("a session that servers do not restore has expired after four thirds of its timeout") {
    machine_fixture f(machine_fixture::three_servers());
    f.connect(); // T is 16 s
    f.live(5s);  // the last answer came within T/8
    f.cut();
    f.acquire(1);
    const auto lost = f.now;
    f.pass(1s); // past any back-off, and before the end of an attempt
    for (; f.wire.connects.back().session.session_id == our_session; f.pass(1s)) {
        REQUIRE(f.wire.connects.size() < 100);
        f.cut(disconnect_reason::not_restored);
    }
    CHECK(f.now - lost >= 19s);
    CHECK(f.now - lost <= 23s);
    CHECK(f.events().empty()); // the acquire goes on
    const auto attempts = f.wire.connects.size();
    f.accept(our_session + 1);
    CHECK(f.wire.connects.size() == attempts);
    CHECK(f.machine.phase() == session_state::connected);
    CHECK_FALSE(f.open().empty());
}

TEST_CASE(
    "a release is told as done where a server says that its session has expired, only there") {
    machine_fixture f(machine_fixture::three_servers());
    f.hold(3);
    f.release(1);
    f.cut();
    f.pass(1s); // past any back-off, and before the end of an attempt
    const bool told = GENERATE(true, false);
    if (told)
        f.cut(disconnect_reason::expired);
    texts events; // at the lease deadline, if no server says it
    for (; f.wire.connects.back().session.session_id == our_session; f.pass(1s)) {
        REQUIRE(f.wire.connects.size() < 100);
        f.cut(disconnect_reason::not_restored);
        std::ranges::copy(f.events(), std::back_inserter(events));
    }
    std::ranges::copy(f.events(), std::back_inserter(events));
    CHECK(events == texts{told ? "released 1 none" : "released 1 unreachable"});
}

TEST_CASE("what this side cannot use for an attempt counts as a mistake until it was good once") {
    machine_fixture f;
    SECTION("a first connection fails by it") {
        f.acquire(1);
        f.cut(disconnect_reason::unusable);
        CHECK(f.events() == texts{"failed 1 bad_options"});
    }
    SECTION("after an expiry it is tried again: files may be in the middle of a renewal") {
        f.connect();
        f.acquire(1);
        f.cut(disconnect_reason::expired);
        f.cut(disconnect_reason::unusable);
        f.pass(1s);
        CHECK(f.events().empty());
        f.accept();
        CHECK(f.machine.phase() == session_state::connected);
    }
}
