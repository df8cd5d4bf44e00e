// SPDX-License-Identifier: BSL-1.0
// Lines that nobody uses: their empty lock paths are deleted, and they are forgotten.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// The second look comes after 19 s, which is between two beats.
settings short_rest() {
    auto options = machine_fixture::defaults();
    options.queue_rest = 9500ms;
    return options;
}

// Ticket 1 has made "/l", held and released it; the line is idle from here on.
void use_once(machine_fixture& f) {
    f.connect();
    f.acquire(1);
    f.reply("get /l", replies::no_node());
    f.reply("container /l", replies::made(5));
    f.enqueued(0, 0);
    REQUIRE(f.events() == texts{"granted 1 token 100"});
    f.release(1);
    f.reply("release " + ticket_path(0), replies::ok());
    REQUIRE(f.events() == texts{"released 1 none"});
}

} // namespace

TEST_CASE("a line that two looks find idle is forgotten, and its empty path deleted") {
    machine_fixture f(short_rest());
    use_once(f);
    f.live(19s - 1ms);
    CHECK(f.open().empty());
    f.live(1ms);
    CHECK(f.open() == texts{"delete /l"});
    CHECK(f.machine.kinds().queues().size() == 1);
    SECTION("deleted") { f.reply("delete /l", replies::ok()); }
    SECTION("gone already") { f.reply("delete /l", replies::no_node()); }
    SECTION("denied") { f.reply("delete /l", replies::no_auth()); }
    CHECK(f.machine.kinds().queues().size() == 0);
    CHECK(f.open().empty());
}

TEST_CASE("a deletion whose outcome is unknown keeps the line") {
    machine_fixture f(short_rest());
    use_once(f);
    f.live(19s);
    f.cut();
    CHECK(f.machine.kinds().queues().size() == 1);
}

TEST_CASE("paths that could not be made are forgotten without a connection too") {
    machine_fixture f(short_rest());
    for (ticket_id id = 1; id <= 3; ++id)
        f.acquire(id, "/m" + std::to_string(id));
    CHECK(f.machine.kinds().queues().size() == 3);
    f.pass(60s);
    CHECK(f.machine.kinds().queues().size() == 0);
}

TEST_CASE("paths are deleted a window at a time, and not while the session closes") {
    auto options = short_rest();
    options.rewatch_window = 2;
    machine_fixture f(options);
    f.connect();
    for (ticket_id id = 1; id <= 5; ++id) {
        const auto path = "/m" + std::to_string(id);
        f.acquire(id, path);
        f.reply("get " + path, replies::no_node());
        f.reply("container " + path, replies::made(6));
        f.reply("enqueue " + path + "/turn-6-lock-",
                replies::placed(path + "/turn-6-lock-0000000000", 200, 0, 6));
        f.release(id);
        f.reply("release " + path + "/turn-6-lock-0000000000", replies::ok());
    }
    f.live(19s);
    CHECK(f.open() == texts{"delete /m1", "delete /m2"});
    f.reply("delete /m1", replies::ok());
    f.reply("delete /m2", replies::ok());
    f.live(9500ms); // the next look
    CHECK(f.open() == texts{"delete /m3", "delete /m4"});
    f.machine.close(f.now);
    f.reply("delete /m3", replies::ok());
    f.reply("delete /m4", replies::ok());
    CHECK(f.open().empty());
    CHECK(f.wire.closes == 1);
}

TEST_CASE("an acquire whose ticket is not made yet stands for no node") {
    machine_fixture f;
    f.begin_acquire();
    CHECK(f.machine.kinds().nodes_of(1).empty());
    f.enqueued(0, 0);
    CHECK(f.machine.kinds().nodes_of(1) == texts{ticket_path(0)});
}
