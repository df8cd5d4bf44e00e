// SPDX-License-Identifier: BSL-1.0
// No release waits beyond the lease deadline of what it releases (L10).
#include "unit/protocol/semaphore/semaphore_fixture.hpp"
#include "unit/protocol/single_node/single_node_fixture.hpp"

namespace {

constexpr auto not_answered = "released 1 unreachable";

/// Ticket 1 is held, and all of its lease is left, which lasts for 16 s from the start on.
template <class Fixture>
void holds(Fixture& f) {
    if constexpr (std::same_as<Fixture, machine_fixture>)
        f.hold();
    else
        f.holds();
}

/// What servers do while a release waits for them.
enum class servers { gone, silent, shaking_hands };

/// Without a server, until the instant.
void pass_until(machine_fixture& f, instant end, servers how) {
    for (auto tries = f.wire.connects.size(); f.now < end;) {
        f.pass(std::min<duration>(500ms, end - f.now));
        if (std::exchange(tries, f.wire.connects.size()) == f.wire.connects.size())
            continue;
        if (how == servers::shaking_hands)
            f.accept();
        else
            f.cut(); // no server is there
    }
}

template <class Fixture>
void check_end(servers how) {
    Fixture f;
    holds(f);
    const auto deadline = f.now + 16s;
    REQUIRE(f.told.deadline == deadline);
    f.pass(100ms);
    f.release(1);
    REQUIRE_FALSE(f.open().empty());
    const auto deletion = f.open().front();
    if (how != servers::silent)
        f.cut();
    pass_until(f, deadline - 1ns, how);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{not_answered});
    pass_until(f, deadline + 60s, how);
    CHECK(f.events().empty());
    if (how == servers::shaking_hands)
        f.cut();
    f.pass(3s);
    f.accept();
    bool deleted = false;
    while (!f.open().empty()) {
        const auto next = f.open().front();
        deleted = deleted || next == deletion || next.starts_with("get ");
        f.reply(next, next.starts_with("get ") ? replies::node(100, our_session) : replies::ok());
    }
    CHECK(deleted);
    CHECK(f.events().empty());
}

} // namespace

TEST_CASE("a release that nobody answers ends at the lease deadline, of each kind of lock") {
    const auto how = GENERATE(servers::gone, servers::silent, servers::shaking_hands);
    SECTION("a queue") { check_end<machine_fixture>(how); }
    SECTION("a node") { check_end<contender_of_one>(how); }
    SECTION("permits") { check_end<user_of_permits>(how); }
}

TEST_CASE("so does one of a reader, whose ticket others do not share any more") {
    machine_fixture f;
    f.begin_shared_acquire();
    f.reader_enqueued(0, 0);
    f.acquire_shared(2);
    REQUIRE(f.events() == texts{"granted 1 token 100", "granted 2 token 100"});
    f.release(2);
    CHECK(f.events() == texts{"released 2 none"});
    f.release(1);
    f.cut();
    pass_until(f, *f.told.deadline - 1ns, servers::gone);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{not_answered});
}

TEST_CASE("a release that begins after the connection was lost ends at the deadline as well") {
    machine_fixture f;
    f.hold();
    f.cut();
    f.pass(10s);
    f.release(1);
    pass_until(f, *f.told.deadline - 1ns, servers::gone);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{not_answered});
}

TEST_CASE("a release waits on while the lease is proved anew") {
    machine_fixture f;
    f.hold();
    f.release(1);
    const auto first = *f.told.deadline;
    const auto throttles = [&] {
        for (auto& each : f.wire.open)
            if (text_of(each.what).starts_with("release ")) {
                const auto id = each.id;
                std::erase_if(f.wire.open, [&](const auto& one) { return one.id == id; });
                f.machine.on_reply(f.now, id, replies::code(zookeeper_code::throttled));
                return;
            }
    };
    while (f.now < first + 20s) {
        throttles();
        f.live(1s);
    }
    CHECK(f.events().empty());
    f.cut();
    pass_until(f, *f.told.deadline - 1ns, servers::gone);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{not_answered});
}
