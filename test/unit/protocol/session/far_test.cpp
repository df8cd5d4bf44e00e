// SPDX-License-Identifier: BSL-1.0
// A session whose every ticket is far from the front beats with reads that tell its places.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

/// Of the lock path, after `made` creates of tickets of which so many stand.
reply place(std::int32_t made, std::int32_t standing) {
    return {.stat = {.czxid = 5, .children = standing, .child_version = 2 * made - standing}};
}

/// Ticket 1 has number 100, and `others` stand before it.
void stand_behind(machine_fixture& f, std::int32_t others) {
    f.begin_acquire();
    f.enqueued(100, others);
    f.reply("watch " + ticket_path(99), replies::node(199, other_session));
    REQUIRE(f.open().empty());
}

const texts near_beat{machine_fixture::waiting_beat(100, 99)};
const texts far_beat{"exists /l"};

/// The next beat, and its answer.
texts beat(machine_fixture& f, const reply& answer) {
    f.pass(2s);
    const auto result = f.open();
    REQUIRE(result.size() == 1);
    f.reply(result.front(), answer);
    return result;
}

} // namespace

TEST_CASE("more than 64 stand before each ticket: the session beats with reads") {
    machine_fixture f;
    const auto others = GENERATE(64, 65);
    stand_behind(f, others);
    CHECK(beat(f, place(101, 66)) == (others == 64 ? near_beat : far_beat));
}

TEST_CASE("a session writes nothing as long as it is far from the front") {
    machine_fixture f;
    stand_behind(f, 90);
    for (int beats = 0; beats < 24; ++beats) // more behind it each time, and fewer before it
        CHECK(beat(f, place(101 + beats, 91)) == far_beat);
    CHECK(f.told.queued.front() == "1 behind 90");
    CHECK(f.told.queued.back() == "1 up behind 67");
    CHECK(f.told.queued.size() == 24);
    CHECK(f.events().empty());
}

TEST_CASE("who is told 64 before it, or less, proves its lease by writes from then on") {
    machine_fixture f;
    stand_behind(f, 90);
    CHECK(beat(f, place(101, 91)) == far_beat);
    SECTION("it moved up") { CHECK(beat(f, place(101, 65)) == far_beat); }
    SECTION("others behind it left, and the answer says nothing") {
        CHECK(beat(f, place(200, 91)) == far_beat);
    }
    SECTION("the lock path is gone") {
        CHECK(beat(f, {.code = zookeeper_code::no_node}) == far_beat);
    }
    SECTION("the lock path is another") {
        auto other = place(101, 91);
        other.stat.czxid = 6;
        CHECK(beat(f, other) == far_beat);
    }
    CHECK(beat(f, replies::ok()) == near_beat);
    CHECK(beat(f, replies::ok()) == near_beat);
}

TEST_CASE("an older answer puts nobody back") {
    machine_fixture f;
    stand_behind(f, 90);
    beat(f, place(101, 80));
    CHECK(f.told.queued.back() == "1 up behind 79");
    beat(f, place(101, 91));
    CHECK(f.told.queued.back() == "1 up behind 79");
}

TEST_CASE("with a lock held, or one ticket near the front, a session beats with writes") {
    machine_fixture f;
    stand_behind(f, 90);
    const bool held = GENERATE(true, false);
    f.acquire(2, "/m");
    f.reply("get /m", replies::folder(5));
    const std::string node = "/m/turn-5-lock-000000000";
    f.reply("enqueue /m/turn-5-lock-", replies::placed(node + '1', 300, held ? 0 : 1));
    if (held) {
        CHECK(f.events() == texts{"granted 2 token 300"});
    } else {
        f.reply("watch " + node + '0', replies::node(299, other_session));
    }
    f.pass(2s);
    CHECK(f.open().front().starts_with("transact "));
    CHECK(std::ranges::count(f.open(), "exists /l") == 0);
}

TEST_CASE("the first request on a connection is a write, also far from the front") {
    machine_fixture f;
    stand_behind(f, 90);
    f.cut();
    f.reconnect();
    CHECK(f.open().front().starts_with("check ")); // what it waited for is to be looked up again
}

TEST_CASE("a session that was far and is first all at once is granted after two writes") {
    machine_fixture f;
    stand_behind(f, 90);
    for (int beats = 0; beats < 20; ++beats)
        beat(f, place(101, 91));
    f.changed(ticket_path(99));
    const auto check = "check " + ticket_path(100);
    f.reply(check, replies::ok());
    CHECK(f.events().empty());
    CHECK(f.wire.drops == 0);
    f.reply(check, replies::ok());
    CHECK(f.events() == texts{"granted 1 token 200"});
    CHECK(*f.told.deadline_at_grant - f.now > 8s);
}

TEST_CASE("a session that is near reads its place where somebody wants to know") {
    auto options = machine_fixture::defaults();
    options.tells_places = true;
    machine_fixture f(options);
    stand_behind(f, 9);
    f.pass(2s);
    REQUIRE(f.open() == texts{"exists /l", near_beat.front()});
    f.reply("exists /l", place(101, 8));
    CHECK(f.told.queued.back() == "1 up behind 7");
}
