// SPDX-License-Identifier: BSL-1.0
// Several locks that a session acquires in one transaction (ticket_batch.hpp). Tickets
// 1, 2, ... are for the paths /a, /b, ... . Up to the first lock that is not free the tickets are
// kept; the others are taken back, and their acquires are told so.
#include "unit/protocol/session/company_fixture.hpp"

TEST_CASE("the tickets behind the first lock that is not free are taken back") {
    taker_of_several f;
    f.asks_for(4);
    f.made({0, 1, 0, 1}); // before the second and the fourth another ticket stands
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

TEST_CASE("all acquires are taken back if one path is missing, and no node is left") {
    taker_of_several f;
    f.asks_for(3);
    f.refused(3, 2, zookeeper_code::no_node);
    CHECK(f.events() == texts{"failed 1 taken_back", "failed 2 taken_back", "failed 3 taken_back"});
    CHECK(f.open().empty());
}

TEST_CASE("a denial is told to the acquire whose step was denied") {
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

TEST_CASE("all acquires are taken back if a busy server sends their transaction back") {
    taker_of_several f;
    f.asks_for(2);
    f.reply(f.steps(2), replies::code(zookeeper_code::throttled));
    CHECK(f.events() == texts{"failed 1 taken_back", "failed 2 taken_back"});
    CHECK(f.open().empty());
}
