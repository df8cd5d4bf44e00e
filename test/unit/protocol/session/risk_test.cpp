// SPDX-License-Identifier: BSL-1.0
// The risk of a loss: reported while there is time, and taken back when it has passed.
#include "unit/protocol/machine_fixture.hpp"

TEST_CASE("a holder without answers is at risk with T/4 left, and then loses") {
    machine_fixture f;
    f.hold();
    f.cut();
    f.pass(12s - 1ns);
    CHECK(f.told.risks.empty());
    f.pass(1ns);
    CHECK(f.told.risks == texts{"at risk"});
    CHECK(f.events().empty());
    f.pass(3s);
    CHECK(f.events() == texts{"lost 1 lease_lost"});
    CHECK(f.told.risks == texts{"at risk", "out of danger"}); // nothing is held any more
}

TEST_CASE("after a pause the risk is told before the loss") {
    machine_fixture f;
    f.hold();
    f.now += 20s;
    f.machine.on_time(f.now);
    CHECK(f.told.risks.front() == "at risk");
    CHECK(f.events() == texts{"lost 1 lease_lost"});
}

TEST_CASE("a reconnect in time takes the risk back") {
    machine_fixture f;
    f.hold();
    f.cut();
    f.pass(13s);
    REQUIRE(f.told.risks == texts{"at risk"});
    f.accept();
    f.reply("check " + ticket_path(0), replies::ok());
    CHECK(f.told.risks == texts{"at risk", "out of danger"});
    f.cut();
    f.pass(12s);
    CHECK(f.told.risks.size() == 3); // once more
}
