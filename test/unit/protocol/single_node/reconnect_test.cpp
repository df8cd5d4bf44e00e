// SPDX-License-Identifier: BSL-1.0
// The connection is lost and comes back, with the same session, at each step.
#include "unit/protocol/single_node/single_node_fixture.hpp"

TEST_CASE("a create is looked for later also where the node of an earlier one was met") {
    contender_of_one f;
    f.competes();
    const auto first = f.own_data();
    f.cut();
    f.cancel(1);
    f.back();
    f.examined(7, replies::no_node());
    f.live(10s);
    f.take(2);
    REQUIRE(f.open() == texts{"hold /l/holder"});
    f.cut();
    f.back();
    f.examined(8, replies::node(100, our_session, first));
    f.reply_behind_beats("unhold /l/holder", replies::ok());
    f.reply_behind_beats("hold /l/holder", replies::placed("/l/holder", 110, 0));
    f.release(2);
    f.reply_behind_beats("unhold /l/holder", replies::ok());
    f.live(15s);
    const auto examines = [&] { return std::ranges::count(f.open(), "exists /l") == 1; };
    CHECK_FALSE(examines()); // the second create may still come
    f.live(1s);
    CHECK(examines());
}

TEST_CASE("a create that may appear late is looked for when there is a connection") {
    contender_of_one f;
    f.competes();
    f.cut();
    f.cancel(1);
    f.back();
    f.examined(7, replies::no_node());
    SECTION("after others of this session have come and gone") {
        f.take(2);
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(90, other_session));
        std::size_t watched_again = 0; // in case the event was lost
        for (int beat = 0; beat < 8; ++beat) {
            f.pass(2s);
            while (!f.open().empty()) {
                const auto next = f.open().front();
                CHECK(next != "exists /l"); // it is time, but somebody waits, who would see it
                watched_again += next == "watch /l/holder" ? 1 : 0;
                f.reply(next, next == "watch /l/holder" ? replies::node(90, other_session)
                                                        : replies::ok());
            }
        }
        CHECK(watched_again == 1);
        f.cancel(2);
        f.live(16s);
    }
    SECTION("it is time, and there is none") {
        f.cut();
        f.pass(16s);
        f.accept();
        f.reply("check /l", replies::ok());
    }
    f.reply_behind_beats("exists /l",
                         {.stat = {.czxid = 5, .mzxid = 1000, .children = 1, .version = 8}});
    f.reply("get /l/holder", replies::node(100, our_session, f.own_data()));
    CHECK(f.wire.open.back().what.version == 8);
    f.reply_behind_beats("unhold /l/holder", replies::ok());
    CHECK(f.open().empty());
}

TEST_CASE("what is held is not put at risk for a node to be granted: its loss is too near") {
    contender_of_one f;
    f.connect();
    f.hold_another(2);
    f.take(1);
    f.reply("get /l", replies::folder(5));
    f.now += 12200ms; // hangs, and answers again: in 0.7 s the loss would be reported
    f.made(100, 7);
    f.reply("check /l/holder", replies::ok());
    CHECK(f.wire.drops == 0);
    CHECK(f.open().back() == "check /l/holder"); // once more
    CHECK(f.events().empty());
}
