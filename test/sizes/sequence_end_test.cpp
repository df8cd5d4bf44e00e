// SPDX-License-Identifier: BSL-1.0
// A lock path near the end of its sequence numbers, on a server whose snapshot was changed.
#include "snapshot.hpp"

#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

#include "protocol/names/ticket_name.hpp"

namespace {

constexpr auto old_path = "/locks/old";
constexpr auto last = std::numeric_limits<std::int32_t>::max();

// A lock path where so many tickets have been made before.
struct old_path_rig {
    explicit old_path_rig(std::int32_t tickets) {
        {
            foreign_client hand{server.address()};
            REQUIRE(hand.create("/locks") == 0);
            REQUIRE(hand.create(old_path) == 0);
        }
        server.stop();
        server.start(); // writes a snapshot
        server.stop();
        set_children_made(server.folder() / "data", old_path, tickets);
        server.start();
        // A server tells clients twice the number of children made, less those that are there.
        REQUIRE(static_cast<std::uint32_t>(eyes.info(old_path).cversion) ==
                2 * static_cast<std::uint32_t>(tickets));
        connect(f, s);
        connect(f, t);
    }

    // What newer servers write behind the nodes has checksums of its own.
    zookeeper_server server{
        {.max_session_timeout_ms = 40'000,
         .system_properties = {"zookeeper.digest.enabled=false",
                               "zookeeper.serializeLastProcessedZxid.enabled=false"}}};
    onlooker eyes{server.address()};
    fixture f;
    session s{f.context, impatient(server.address())};
    session t{f.context, impatient(server.address())};
    journal book;
    contender one{s, old_path, &book};
    contender other{t, old_path, &book};
};

std::string sequence_of(const std::string& name) { return name.substr(name.size() - 10); }

} // namespace

TEST_CASE("the last sequence below the limit is granted, the next refused, then all begins anew") {
    old_path_rig r(protocol::sequence_limit - 1);
    acquire_now(r.f, r.one);
    const auto first = r.one.token;
    r.other.acquire();
    r.f.run_until([&] { return r.other.completed == 1; });
    CHECK(r.other.failure == error::sequence_exhausted);
    await_children(r.f, r.eyes, old_path, 1);
    CHECK(r.one.lock.is_held());
    r.one.release();
    r.f.run_until([&] { return r.one.completed == 2; });
    r.f.run_until([&] { return r.eyes.client().exists(old_path) != 0; }); // empty, it is deleted
    acquire_now(r.f, r.other);
    CHECK(r.other.token > first);
    CHECK(sequence_of(r.eyes.children(old_path).at(0)) == "0000000000");
}

TEST_CASE("past half of the sequences an empty lock path is deleted, and starts again") {
    old_path_rig r(protocol::sequence_high);
    acquire_now(r.f, r.one);
    CHECK(sequence_of(r.eyes.children(old_path).at(0)) == "1073741824");
    r.one.release();
    r.f.run_until([&] { return r.one.completed == 2; });
    r.f.run_until([&] { return r.eyes.client().exists(old_path) != 0; });
}

TEST_CASE("where the counter sticks or has overflown, nobody is granted, and it starts again") {
    old_path_rig r(last - GENERATE(0, 1, 5));
    crowd users{{&r.s, &r.t}, old_path, 20};
    users.line_up();
    r.f.run_until([&] { return users.all_done(); });
    CHECK(users.failures() == 20);
    for (const auto& each : users.all)
        CHECK(each->failure == error::sequence_exhausted);
    CHECK(users.served() == 0);
    // As many tries as it takes: whoever is refused last deletes the path.
    r.f.run_until([&] {
        if (r.one.started == r.one.completed && !r.one.holds())
            r.one.acquire();
        return r.one.holds();
    });
    CHECK(sequence_of(r.eyes.children(old_path).at(0)) == "0000000000");
    CHECK(r.eyes.count(old_path) == 1);
    CHECK(r.one.started <= 4);
}
