// SPDX-License-Identifier: BSL-1.0
// Beats: how often, with what, and how long an unanswered one is borne. T is 16 s, a beat 2 s.
#include "unit/protocol/machine_fixture.hpp"

TEST_CASE("a session without tickets beats with reads, each T/8 after the last answer") {
    machine_fixture f;
    f.machine.connect(f.now);
    f.accept();
    CHECK(f.open() == texts{"exists /"});
    f.pass(500ms);
    f.reply("exists /", replies::ok());
    f.pass(2s - 1ns);
    CHECK(f.open().empty());
    f.pass(1ns);
    CHECK(f.open() == texts{"exists /"});
}

TEST_CASE("a session in line beats with a check of its ticket") {
    machine_fixture f;
    f.wait();
    f.pass(2s);
    CHECK(f.open() == texts{machine_fixture::waiting_beat(1, 0)});
}

TEST_CASE("held tickets are checked in turn") {
    machine_fixture f;
    f.hold();
    for (ticket_id id = 2; id <= 3; ++id) {
        const auto path = "/m" + std::to_string(id);
        f.acquire(id, path);
        f.reply("get " + path, replies::folder(6));
        f.reply("enqueue " + path + "/turn-6-lock-",
                replies::placed(path + "/turn-6-lock-0000000000", 200, 0, 6));
    }
    texts checked;
    for (int beat = 0; beat < 4; ++beat) {
        f.pass(2s);
        while (!f.open().empty()) {
            if (f.open().front().starts_with("check"))
                checked.push_back(f.open().front());
            f.reply(f.open().front(), replies::node(1, our_session));
        }
    }
    CHECK(checked == texts{"check " + ticket_path(0), "check /m2/turn-6-lock-0000000000",
                           "check /m3/turn-6-lock-0000000000", "check " + ticket_path(0)});
}

TEST_CASE("with something held a beat unanswered for T/8 drops the connection") {
    machine_fixture f;
    f.hold();
    f.pass(2s);
    REQUIRE(f.open().front() == "check " + ticket_path(0));
    f.pass(2s - 1ns);
    CHECK(f.wire.drops == 0);
    f.pass(1ns);
    CHECK(f.wire.drops == 1);
}

TEST_CASE("without anything held a beat is borne for T/3") {
    machine_fixture f;
    f.wait();
    f.pass(2s);
    f.pass(5333ms);
    CHECK(f.wire.drops == 0);
    f.pass(1ms);
    CHECK(f.wire.drops == 1);
}
