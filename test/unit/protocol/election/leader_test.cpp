// SPDX-License-Identifier: BSL-1.0
// Who leads, for those who follow a line without standing in it.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string first = "turn-5-lock-0000000003";
const std::string second = "turn-5-lock-0000000004";

struct follower : machine_fixture {
    using machine_fixture::machine_fixture;

    void follow(inquiry_id id) { machine.follow_leader(now, id, "/l"); }
    void event(watch_event what, const std::string& node) { machine.on_watch(now, what, node); }
    void listed(std::vector<std::string> children) {
        reply("list /l", replies::listing(std::move(children)));
    }
    void found(const std::string& node, std::int64_t czxid) {
        reply("watch /l/" + node, replies::node(czxid, other_session));
    }
    /// Follower 7 knows the first.
    void knows() {
        connect();
        follow(7);
        listed({second, first});
        found(first, 103);
        REQUIRE(events() == texts{"leader 7 " + first});
        REQUIRE(open().empty());
    }
    /// The first word is a write: a lagging server would tell an earlier leader.
    void back(std::int64_t session = our_session) {
        pass(3s);
        accept(session);
        reply("check /l", replies::ok());
    }
};

} // namespace

TEST_CASE("a change of leader costs two requests") {
    follower f;
    f.knows();
    f.deleted("/l/" + first);
    f.listed({second});
    f.found(second, 104);
    CHECK(f.events() == texts{"leader 7 " + second});
    CHECK(f.open().empty());
    f.cancel(7);
    CHECK(f.events() == texts{"unanswered 7 cancelled"});
    f.deleted("/l/" + second);
    CHECK(f.open().empty());
}

TEST_CASE("the same leader is told once, and again with other data") {
    follower f;
    f.knows();
    f.changed("/l/" + first);
    f.listed({first});
    SECTION("the same") {
        f.found(first, 103);
        CHECK(f.events().empty());
    }
    SECTION("other data") {
        f.reply("watch /l/" + first, replies::node(103, other_session, "value=x"));
        CHECK(f.events() == texts{"leader 7 " + first});
    }
}

TEST_CASE("a leader that goes before it is read is passed over") {
    follower f;
    f.connect();
    f.follow(7);
    f.listed({first, second});
    f.reply("watch /l/" + first, replies::no_node());
    f.listed({second});
    f.found(second, 104);
    CHECK(f.events() == texts{"leader 7 " + second});
}

TEST_CASE("foreign tickets lead as well, in the order of their numbers") {
    follower f;
    f.connect();
    f.follow(7);
    const std::string foreign = "_c_1-lock-0000000002";
    f.listed({first, "notes", foreign});
    f.found(foreign, 102);
    CHECK(f.events() == texts{"leader 7 " + foreign});
}

TEST_CASE("where nobody stands in line its path is watched") {
    follower f;
    f.connect();
    f.follow(7);
    f.listed({"notes"});
    CHECK(f.events().empty());
    f.listed({"notes"}); // with a watch
    CHECK(f.last_request.watch);
    CHECK(f.events() == texts{"leader 7 nobody"});
    f.changed("/l"); // as each enqueue does
    CHECK(f.open().empty());
    SECTION("somebody comes") {
        f.event(watch_event::children, "/l");
        f.listed({first});
        f.found(first, 103);
        CHECK(f.events() == texts{"leader 7 " + first});
    }
    SECTION("the path goes, and is made anew") {
        f.deleted("/l");
        f.reply("list /l", replies::no_node());
        f.reply("exists /l", replies::no_node());
        CHECK(f.events().empty()); // nobody, as before
        f.event(watch_event::created, "/l");
        f.listed({first});
        f.found(first, 203);
        CHECK(f.events() == texts{"leader 7 " + first});
    }
}

TEST_CASE("a path that is made between two questions is listed") {
    follower f;
    f.connect();
    f.follow(7);
    f.reply("list /l", replies::no_node());
    f.reply("exists /l", replies::folder(5));
    f.listed({first});
    f.found(first, 103);
    CHECK(f.events() == texts{"leader 7 " + first});
}

TEST_CASE("a node that goes with no session does not lead") {
    follower f;
    f.connect();
    f.follow(7);
    const std::string stray = "lock-0000000001";
    f.listed({stray, first});
    f.reply("watch /l/" + stray, replies::node(90, 0));
    f.found(first, 103);
    CHECK(f.events() == texts{"leader 7 " + first});
    f.deleted("/l/" + first);
    f.listed({stray});
    SECTION("it stands alone") {
        f.reply("watch /l/" + stray, replies::node(90, 0));
        f.listed({stray});
        f.listed({stray}); // with a watch
        CHECK(f.events() == texts{"leader 7 nobody"});
        f.event(watch_event::children, "/l");
        CHECK(f.open() == texts{"list /l"});
    }
    SECTION("its name is another node's by now") {
        f.found(stray, 105);
        CHECK(f.events() == texts{"leader 7 " + stray});
    }
}

TEST_CASE("after a reconnect all begins anew, behind a write") {
    follower f;
    f.knows();
    f.cut();
    f.deleted("/l/" + first); // it is of no connection any more
    SECTION("the same leads, in the same session") {
        f.back();
        f.listed({first});
        f.found(first, 103);
        CHECK(f.events().empty());
    }
    SECTION("another leads, in another session") {
        f.back(our_session + 1);
        f.listed({second});
        f.found(second, 104);
        CHECK(f.events() == texts{"leader 7 " + second});
    }
    SECTION("the answers to what was asked before count no more") {
        f.back();
        f.cut();
        f.back();
        CHECK(f.open() == texts{"list /l"});
    }
}

TEST_CASE("two follow one path: the end of one is not the other's") {
    follower f;
    f.knows();
    f.follow(8);
    f.listed({first, second});
    f.found(first, 103);
    CHECK(f.events() == texts{"leader 8 " + first});
    SECTION("one gives up while it watches") { f.cancel(8); }
    SECTION("one gives up while it asks") {
        f.follow(9);
        f.cancel(8);
        f.cancel(9);
        f.listed({first, second});
    }
    f.events();
    CHECK(f.open().empty());
    f.deleted("/l/" + first);
    f.listed({second});
    f.found(second, 104);
    CHECK(f.events() == texts{"leader 7 " + second});
    CHECK(f.open().empty());
}

TEST_CASE("both hear of a change that both watch") {
    follower f;
    f.knows();
    f.follow(8);
    f.listed({first, second});
    f.found(first, 103);
    f.deleted("/l/" + first);
    CHECK(f.open() == texts{"list /l", "list /l"});
}

TEST_CASE("a lost event costs a follower less than a session timeout") {
    follower f;
    f.knows();
    while (f.open().empty() && f.now < instant{1016s})
        f.live(10ms);
    REQUIRE(f.open() == texts{"list /l", "exists /"}); // with a beat
    f.deleted("/l/" + first);                          // after all: the open answer tells it
    CHECK(f.open().size() == 2);
    f.listed({second});
    f.reply("exists /", replies::ok());
    f.found(second, 104);
    CHECK(f.events() == texts{"leader 7 " + second});
}

TEST_CASE("a busy server is asked again") {
    follower f;
    f.connect();
    f.follow(7);
    f.reply("list /l", replies::code(zookeeper_code::throttled));
    CHECK(f.open().empty());
    SECTION("later") {
        f.live(2s);
        f.listed({first});
        f.found(first, 103);
        CHECK(f.events() == texts{"leader 7 " + first});
    }
    SECTION("not after the end, which keeps no timer") {
        f.machine.stop(f.now);
        CHECK(f.events() == texts{"unanswered 7 session_closed"});
        CHECK_FALSE(f.machine.next_timer());
    }
}

TEST_CASE("who may not read the line is told so") {
    follower f;
    f.connect();
    f.follow(7);
    SECTION("the path") { f.reply("list /l", replies::no_auth()); }
    SECTION("a ticket") {
        f.listed({first});
        f.reply("watch /l/" + first, replies::no_auth());
    }
    CHECK(f.events() == texts{"unanswered 7 read_denied"});
    CHECK(f.open().empty());
}

TEST_CASE("a follower waits for a server from the loss of what it had on") {
    follower f;
    f.knows();
    f.live(60s); // what is watched is read again now and then
    if (f.open() == texts{"list /l"}) {
        f.listed({first});
        f.found(first, 103);
    }
    f.deleted("/l/" + first);
    f.cut();
    f.pass(30s - 1ns);
    CHECK(f.events().empty());
    f.pass(1ns);
    CHECK(f.events() == texts{"unanswered 7 unreachable"});
    f.machine.close(f.now);
    f.events();
    f.follow(8);
    CHECK(f.events() == texts{"unanswered 8 session_closed"});
}
