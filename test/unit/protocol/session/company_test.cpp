// SPDX-License-Identifier: BSL-1.0
// Several locks acquired in one transaction: which of their tickets are kept.
#include "unit/protocol/session/company_fixture.hpp"

TEST_CASE("behind the first that is not free nothing is kept") {
    taker_of_several f;
    f.asks_for(4);
    f.made({0, 1, 0, 1});
    CHECK(f.events() == texts{"granted 1 token 100", "failed 3 taken_back", "failed 4 taken_back"});
    // Nobody asks who stands before the fourth.
    CHECK(f.open() == texts{"watch " + f.node_of(2, 0), "delete " + f.node_of(3, 0),
                            "delete " + f.node_of(4, 1)});
    f.reply("watch " + f.node_of(2, 0), replies::node(90, other_session));
    f.reply("delete " + f.node_of(3, 0), replies::ok());
    f.reply("delete " + f.node_of(4, 1), replies::ok());
    f.changed(f.node_of(2, 0));
    CHECK(f.events() == texts{"granted 2 token 100"});
}

TEST_CASE("a path that is missing has all taken back, and nothing is left") {
    taker_of_several f;
    f.asks_for(3);
    f.refused(3, 2, zookeeper_code::no_node);
    CHECK(f.events() == texts{"failed 1 taken_back", "failed 2 taken_back", "failed 3 taken_back"});
    CHECK(f.open().empty());
}

TEST_CASE("a denial is told of the lock that it concerns") {
    taker_of_several f;
    f.asks_for(3);
    SECTION("to set the path") {
        f.refused(3, 2, zookeeper_code::no_auth);
        CHECK(f.events() ==
              texts{"failed 1 taken_back", "failed 2 write_denied", "failed 3 taken_back"});
    }
    SECTION("to make the node") {
        f.refused(3, 5, zookeeper_code::no_auth);
        CHECK(f.events() ==
              texts{"failed 1 taken_back", "failed 2 taken_back", "failed 3 create_denied"});
    }
}

TEST_CASE("several that a busy server sent back are tried one by one") {
    taker_of_several f;
    f.asks_for(2);
    f.reply(f.steps(2), replies::code(zookeeper_code::throttled));
    CHECK(f.events() == texts{"failed 1 taken_back", "failed 2 taken_back"});
    CHECK(f.open().empty());
}
