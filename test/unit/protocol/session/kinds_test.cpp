// SPDX-License-Identifier: BSL-1.0
// Locks of different kinds on one lock path, or on paths below each other. A session refuses them
// by itself, without a request. The cast: one session with mutexes, semaphores and locks of one
// node.
#include "unit/protocol/machine_fixture.hpp"

namespace {

struct many_kinds : machine_fixture {
    /// Acquires a lock of one node.
    void take_node(ticket_id id, const std::string& path = "/l", bool patient = true) {
        machine.acquire(now, id, {.path = path, .patient = patient, .single_node = true});
    }
    /// Acquires one permit of a semaphore.
    void take_permit(ticket_id id, const std::string& path = "/l",
                     std::optional<std::uint32_t> limit = 3) {
        machine.acquire(now, id, {.path = path, .permits = 1, .stated_limit = limit});
    }
    using machine_fixture::machine_fixture;
};

} // namespace

TEST_CASE("a semaphore is refused on the path of another lock of the session") {
    many_kinds f;
    SECTION("a mutex") { f.hold(); }
    SECTION("a lock of one node") {
        f.connect();
        f.take_node(1);
        f.reply("get /l", replies::folder(5));
    }
    const auto open = f.open();
    f.take_permit(2);
    CHECK(f.events() == texts{"failed 2 wrong_kind"});
    CHECK(f.open() == open); // no request was sent
}

TEST_CASE("a semaphore may follow a mutex that nobody uses any more") {
    many_kinds f;
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), replies::ok());
    f.events();
    f.take_permit(2);
    CHECK(f.events().empty());
    CHECK_FALSE(f.open().empty());
}

TEST_CASE("a semaphore and another lock are refused below each other") {
    many_kinds f;
    SECTION("below a mutex") {
        f.hold();
        f.take_permit(2, "/l/below");
    }
    SECTION("above a lock of one node") {
        f.connect();
        f.take_node(1, "/l/below");
        f.take_permit(2);
    }
    SECTION("below another semaphore") {
        f.connect();
        f.take_permit(1);
        f.take_permit(2, "/l/below");
    }
    SECTION("a mutex below a semaphore") {
        f.connect();
        f.take_permit(1);
        f.acquire(2, "/l/below");
    }
    SECTION("a lock of one node above a semaphore") {
        f.connect();
        f.take_permit(1, "/l/below");
        f.take_node(2);
    }
    CHECK(f.events() == texts{"failed 2 nested_path"});
}

TEST_CASE("a name that begins like another one is not nested") {
    many_kinds f;
    f.connect();
    f.take_permit(1, "/l");
    f.take_node(2, "/la");
    f.acquire(3, "/l-a/b");
    f.acquire(4, "/m");
    CHECK(f.events().empty());
}

TEST_CASE("an acquire of a semaphore whose limit is 0 fails") {
    many_kinds f;
    f.connect();
    f.take_permit(1, "/l", 0);
    CHECK(f.events() == texts{"failed 1 too_many"});
    CHECK(f.open().empty());
}

TEST_CASE("an acquire with Curator's names is refused on a path where the session has its own") {
    many_kinds f;
    f.hold();
    f.machine.acquire(f.now, 2, {.path = "/l", .naming = ticket_naming::curator});
    CHECK(f.events() == texts{"failed 2 wrong_kind"});
}

TEST_CASE("an acquire of a node that its own session holds waits, or fails where that is refused") {
    auto options = machine_fixture::defaults();
    options.refuses_own_waits = GENERATE(true, false);
    many_kinds f(options);
    f.connect();
    f.take_node(1);
    f.reply("get /l", replies::folder(5));
    f.reply("hold /l/holder", replies::placed("/l/holder", 100, 0));
    f.events();
    f.take_node(2, "/l", false); // a try does not wait
    CHECK(f.events() == texts{"failed 2 would_block"});
    f.take_node(3);
    CHECK((f.events() == texts{"failed 3 would_deadlock"}) == options.refuses_own_waits);
    CHECK(f.told.notes.empty());
}
