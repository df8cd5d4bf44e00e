// SPDX-License-Identifier: BSL-1.0
// Which lock a path stands for, and acquires that want it and no other.
#include "unit/protocol/machine_fixture.hpp"

namespace {

struct seeker : machine_fixture {
    using machine_fixture::machine_fixture;

    void look_up(inquiry_id id, std::optional<duration> limit = {}, bool single_node = false) {
        machine.look_up(now, id, {.path = "/l", .limit = limit, .single_node = single_node});
    }
    void want(ticket_id id, std::int64_t incarnation, ticket_kind kind = ticket_kind::exclusive) {
        machine.acquire(now, id, {.path = "/l", .kind = kind, .incarnation = incarnation});
    }
    void want_node(ticket_id id, std::int64_t incarnation) {
        machine.acquire(now, id, {.path = "/l", .single_node = true, .incarnation = incarnation});
    }
    static turnstile::protocol::reply path_of(std::int64_t czxid) {
        auto answer = replies::folder(czxid);
        answer.stat.ctime = 77;
        return answer;
    }
};

} // namespace

TEST_CASE("a look-up starts the session, and waits a limit for it") {
    seeker f;
    f.look_up(7);
    CHECK(f.wire.connects.size() == 1);
    SECTION("its own") {
        f.look_up(8, 3s);
        f.pass(3s);
        CHECK(f.events() == texts{"not looked up 8 unreachable"});
    }
    SECTION("the session's") {
        f.pass(29s);
        CHECK(f.events().empty());
        f.pass(1s);
        CHECK(f.events() == texts{"not looked up 7 unreachable"});
    }
    SECTION("until the session is closed") {
        f.machine.stop(f.now);
        CHECK(f.events() == texts{"not looked up 7 session_closed"});
        f.look_up(8);
        CHECK(f.events() == texts{"not looked up 8 session_closed"});
    }
}

TEST_CASE("a look-up fails as an acquire would") {
    seeker f;
    f.connect();
    SECTION("where the path may not be read") {
        f.look_up(7);
        f.reply("get /l", {.code = zookeeper_code::no_auth});
        CHECK(f.events() == texts{"not looked up 7 read_denied"});
    }
    SECTION("where a lock of another kind is") {
        f.acquire(1);
        f.look_up(7, {}, true);
        CHECK(f.events() == texts{"not looked up 7 wrong_kind"});
    }
}

TEST_CASE("who wants one incarnation of a lock path stands in no other") {
    seeker f;
    f.connect();
    f.want(1, 5);
    f.reply("enqueue /l/turn-5-lock-", replies::placed(ticket_path(0), 100, 0, 6));
    CHECK(f.events() == texts{"failed 1 path_renewed"});
    CHECK(f.open() == texts{"delete /l/turn-5-lock-0000000000"});
}

TEST_CASE("a lock of one node is taken in the incarnation that is wanted") {
    seeker f;
    f.connect();
    f.want_node(1, 5);
    SECTION("which the answer shows") {
        f.reply("hold /l/holder", replies::placed("/l/holder", 100, 0, 6));
        CHECK(f.events() == texts{"failed 1 path_renewed"});
        CHECK(f.open() == texts{"unhold /l/holder"});
    }
    SECTION("or the path, where it had to be made again") {
        f.reply("hold /l/holder", replies::no_node());
        f.reply("get /l", f.path_of(8));
        CHECK(f.events() == texts{"failed 1 path_renewed"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("who wants an incarnation of a path that is being asked for waits for the answer") {
    seeker f;
    f.connect();
    f.want_node(1, 0);
    f.want_node(2, 6);
    f.reply("get /l", f.path_of(5)); // once for both
    f.reply("hold /l/holder", replies::placed("/l/holder", 100, 0));
    f.want_node(3, 4); // older than what was seen
    f.release(1);
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events() == texts{"granted 1 token 100", "released 1 none", "failed 2 path_renewed",
                              "failed 3 path_renewed"});
    CHECK(f.open().empty());
}

TEST_CASE("a change of a semaphore makes the path, and no line that would delete it") {
    machine_fixture f;
    f.connect();
    f.ask_all(7, semaphore_change::sets("/l", 3));
    f.reply("get /l/limit", replies::no_node());
    f.reply("get /l", replies::no_node());
    f.reply("container /l", replies::made(5));
    CHECK(f.open() == texts{"list /l"});
    CHECK(f.machine.kinds().queues().size() == 0);
    f.cancel(7);
    CHECK(f.events() == texts{"unanswered 7 cancelled"});
}

TEST_CASE("a look-up makes no line where a lock of one node is or will be") {
    seeker f;
    f.connect();
    SECTION("it was for one") { f.look_up(7, {}, true); }
    SECTION("one has come meanwhile") {
        f.look_up(7);
        f.want_node(1, 0);
    }
    f.reply("get /l", replies::folder(5));
    CHECK(f.events() == texts{"looked up 7: 5 0"});
    CHECK(f.machine.kinds().queues().size() == 0);
}
