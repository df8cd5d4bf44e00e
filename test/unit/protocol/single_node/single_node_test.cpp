// A lock of one node: who makes it, who waits for it, and what becomes of it.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct contender_of_one : machine_fixture {
    void take(ticket_id id, bool patient = true, std::optional<duration> limit = {}) {
        acquire_request what;
        what.path = "/l";
        what.patient = patient;
        what.limit = limit;
        what.single_node = true;
        machine.acquire(now, id, what);
    }
    /// The create is answered: the transaction, and the lock path's version after its set.
    void made(std::int64_t czxid, std::int32_t version, std::int32_t others = 0) {
        auto answer = replies::placed("/l/holder", czxid, others);
        answer.stat.version = version;
        reply("hold /l/holder", answer);
    }
    /// Path and node are read.
    void examined(std::int32_t version, const turnstile::protocol::reply& node) {
        reply("exists /l", {.stat = {.czxid = 5,
                                     .mzxid = 1000,
                                     .children = node.code == zookeeper_code::ok ? 1 : 0,
                                     .version = version}});
        reply("get /l/holder", node);
    }
    void holds(std::int64_t czxid = 100, std::int32_t version = 7) {
        connect();
        take(1);
        reply("get /l", replies::folder(5));
        made(czxid, version);
        REQUIRE(events() == texts{"granted 1 token " + std::to_string(czxid)});
    }
    /// Waits for another session's node.
    void waits() {
        connect();
        take(1);
        reply("get /l", replies::folder(5));
        reply("hold /l/holder", replies::node_exists());
        reply("watch /l/holder", replies::node(90, other_session));
        REQUIRE(events().empty());
        REQUIRE(open().empty());
    }
    void back() {
        reconnect();
        REQUIRE_FALSE(open().empty());
        const auto barrier = open().front();
        CHECK(barrier.starts_with("check /l"));
        reply(barrier, replies::ok());
    }
    std::string own_data() {
        return turnstile::protocol::ticket_data_writer({.host = "h", .process = "1"}).str("0-1");
    }
};

} // namespace

TEST_CASE("whoever makes the node holds the lock, after one round trip") {
    contender_of_one f;
    f.holds();
    f.release(1);
    CHECK(f.open() == texts{"unhold /l/holder"});
    CHECK(f.wire.open.front().what.version == 7);
    f.reply("unhold /l/holder", replies::ok());
    CHECK(f.events() == texts{"released 1 none"});
    f.take(2);
    f.made(200, 8); // the path is known
    CHECK(f.events() == texts{"granted 2 token 200"});
}

TEST_CASE("a try fails by the answer to its create") {
    contender_of_one f;
    f.connect();
    f.take(1, false);
    f.reply("get /l", replies::folder(5));
    f.reply("hold /l/holder", replies::node_exists());
    CHECK(f.events() == texts{"failed 1 would_block"});
    CHECK(f.open().empty());
}

TEST_CASE("a try fails at once where this session holds the lock, or waits for it") {
    contender_of_one f;
    SECTION("holds") { f.holds(); }
    SECTION("waits") { f.waits(); }
    f.take(2, false);
    CHECK(f.events() == texts{"failed 2 would_block"});
    CHECK(f.open().empty());
}

TEST_CASE("who waits tries again when the node goes, and looks again when it changes") {
    contender_of_one f;
    f.waits();
    f.changed("/l/holder");
    f.reply("watch /l/holder", replies::node(90, other_session));
    f.deleted("/l/holder");
    SECTION("and is granted") {
        f.made(100, 9);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("or waits for the next") {
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(95, other_session));
        CHECK(f.open().empty());
    }
    SECTION("or finds the next one gone") {
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::no_node());
        CHECK(f.open() == texts{"hold /l/holder"});
    }
}

TEST_CASE("the acquires of a session compete one at a time, in their order") {
    contender_of_one f;
    f.holds();
    f.take(2);
    f.take(3);
    CHECK(f.open().empty());
    f.release(1);
    f.reply("unhold /l/holder", replies::ok());
    f.made(200, 8);
    CHECK(f.events() == texts{"released 1 none", "granted 2 token 200"});
    f.cancel(3);
    CHECK(f.events() == texts{"failed 3 cancelled"});
}

TEST_CASE("an acquire that is cancelled leaves nothing") {
    contender_of_one f;
    SECTION("while it waits") {
        f.waits();
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
        f.deleted("/l/holder");
        CHECK(f.open().empty());
    }
    SECTION("while the node is made") {
        f.connect();
        f.take(1);
        f.reply("get /l", replies::folder(5));
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
        f.made(100, 7);
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events().empty());
    }
    SECTION("and the next of its session goes on") {
        f.waits();
        f.take(2);
        f.cancel(1);
        f.made(100, 7);
        CHECK(f.events() == texts{"failed 1 cancelled", "granted 2 token 100"});
    }
    SECTION("by its limit") {
        f.connect();
        f.take(1, true, 1s);
        f.reply("get /l", replies::folder(5));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(90, other_session));
        f.live(1s);
        CHECK(f.events() == texts{"failed 1 timed_out"});
    }
}

TEST_CASE("a create whose answer was lost is looked for by owner and request") {
    contender_of_one f;
    f.connect();
    f.take(1);
    f.reply("get /l", replies::folder(5));
    f.cut();
    f.back();
    SECTION("ours") {
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
        f.release(1);
        CHECK(f.wire.open.front().what.version == 7);
    }
    SECTION("another's") {
        f.examined(7, replies::node(100, other_session, f.own_data()));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(100, other_session));
        CHECK(f.events().empty());
    }
    SECTION("nobody's") {
        f.examined(7, replies::no_node());
        f.made(100, 8);
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
    SECTION("of an acquire that is over") {
        f.examined(7, replies::node(100, our_session, "turnstile=1\nrequest=0-9\n"));
        CHECK(f.wire.open.front().what.version == 7);
        f.reply("unhold /l/holder", replies::ok());
        f.made(101, 8);
        CHECK(f.events() == texts{"granted 1 token 101"});
    }
    SECTION("made between the two reads: the version is older than the node") {
        f.reply("exists /l", {.stat = {.czxid = 5, .mzxid = 99, .version = 6}});
        f.reply("get /l/holder", replies::node(100, our_session, f.own_data()));
        CHECK(f.events().empty());
        f.examined(7, replies::node(100, our_session, f.own_data()));
        CHECK(f.events() == texts{"granted 1 token 100"});
    }
}

TEST_CASE("a create that appears late, after its caller has gone, is deleted") {
    contender_of_one f;
    f.connect();
    f.take(1);
    f.reply("get /l", replies::folder(5));
    f.cut();
    f.cancel(1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.back();
    f.examined(7, replies::no_node());
    CHECK(f.open().empty());
    f.live(15s);
    CHECK(f.open().empty());
    f.live(1s);
    f.examined(8, replies::node(100, our_session, f.own_data()));
    CHECK(f.open().back() == "unhold /l/holder"); // beside a beat
}

TEST_CASE("a release whose answer was lost deletes only the node with our czxid") {
    contender_of_one f;
    f.holds();
    f.release(1);
    f.cut();
    f.back();
    SECTION("it stands: with the version of now") {
        f.examined(9, replies::node(100, our_session, f.own_data()));
        CHECK(f.wire.open.front().what.version == 9);
        f.reply("unhold /l/holder", replies::ok());
    }
    SECTION("it is gone") { f.examined(9, replies::no_node()); }
    SECTION("the next one stands") {
        f.examined(9, replies::node(110, other_session));
        CHECK(f.open().empty());
    }
    CHECK(f.events() == texts{"released 1 none"});
}

TEST_CASE("a release that is refused for the path's version looks for its node") {
    contender_of_one f;
    f.holds();
    f.release(1);
    f.reply("unhold /l/holder", replies::code(zookeeper_code::bad_version));
    SECTION("another hand has set the path") {
        f.examined(8, replies::node(100, our_session, f.own_data()));
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("another hand has deleted the node, and the next one stands") {
        f.examined(8, replies::node(110, other_session));
        CHECK(f.events() == texts{"released 1 lost_deleted"});
    }
}

TEST_CASE("a node deleted by another hand is told as lost") {
    contender_of_one f;
    f.holds();
    f.pass(2s);
    while (f.open().size() > 1 || f.open().front() != "watch /l/holder")
        f.reply(f.open().front(), f.open().front() == "watch /l/holder"
                                      ? replies::node(100, our_session)
                                      : replies::ok());
    SECTION("by the answer to the watch") {
        f.reply("watch /l/holder", replies::node(110, other_session)); // the next one's
        CHECK(f.events() == texts{"lost 1 lost_deleted"});
        f.examined(9, replies::node(110, other_session));
        CHECK(f.open().empty());
    }
    SECTION("by the watch") {
        f.reply("watch /l/holder", replies::node(100, our_session));
        f.deleted("/l/holder");
        CHECK(f.events() == texts{"lost 1 lost_deleted"});
    }
    f.release(1);
    CHECK(f.events() == texts{"released 1 lost_deadline"});
}

TEST_CASE("a lock lost by its deadline keeps its node until then") {
    contender_of_one f;
    f.holds();
    f.cut();
    f.pass(15s);
    CHECK(f.events() == texts{"lost 1 lost_deadline"});
    f.release(1);
    CHECK(f.events() == texts{"released 1 lost_deadline"});
    f.accept();
    f.reply(f.open().front(), replies::ok());
    f.examined(7, replies::node(100, our_session, f.own_data()));
    CHECK(f.open() == texts{"unhold /l/holder"});
}

TEST_CASE("the end of the session ends what it holds, and who waits tries again") {
    contender_of_one f;
    f.holds();
    f.take(2);
    f.cut(disconnect_reason::expired);
    CHECK(f.events() == texts{"lost 1 lost_expired"});
    f.pass(3s);
    f.accept(other_session);
    CHECK(f.open() == texts{"check /l", "hold /l/holder"});
}

TEST_CASE("a lock of another kind at the path is told by what is found there") {
    contender_of_one f;
    SECTION("tickets") {
        f.connect();
        f.take(1);
        f.reply("get /l", replies::folder(5));
        f.made(100, 7, 1);
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
        CHECK(f.open() == texts{"unhold /l/holder"});
    }
    SECTION("a node that goes with no session") {
        f.connect();
        f.take(1);
        f.reply("get /l", replies::folder(5));
        f.reply("hold /l/holder", replies::node_exists());
        f.reply("watch /l/holder", replies::node(90, 0));
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
    }
    SECTION("the node, by a mutex") {
        f.connect();
        f.acquire(1);
        f.reply("get /l", replies::folder(5));
        f.enqueued(0, 1);
        f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "holder"}));
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
        CHECK(f.open() == texts{"delete " + ticket_path(0)});
    }
    SECTION("in one session") {
        f.holds();
        f.acquire(2);
        CHECK(f.events() == texts{"failed 2 wrong_kind"});
    }
}

TEST_CASE("a node that may not be deleted is told so, and nobody waits behind it") {
    contender_of_one f;
    f.holds();
    f.take(2);
    f.release(1);
    f.reply("unhold /l/holder", replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied", "failed 2 release_denied"});
    f.take(3); // it is tried once more
    f.examined(7, replies::node(100, our_session, f.own_data()));
    SECTION("in vain") {
        f.reply("unhold /l/holder", replies::no_auth());
        CHECK(f.events() == texts{"failed 3 release_denied"});
    }
    SECTION("the right is there again") {
        f.reply("unhold /l/holder", replies::ok());
        f.made(110, 8);
        CHECK(f.events() == texts{"granted 3 token 110"});
    }
}

TEST_CASE("what a server refuses ends the acquire") {
    contender_of_one f;
    f.connect();
    f.take(1);
    f.reply("get /l", replies::folder(5));
    SECTION("the set") {
        f.reply("hold /l/holder", {.code = zookeeper_code::no_auth, .set_denied = true});
        CHECK(f.events() == texts{"failed 1 write_denied"});
    }
    SECTION("the create") {
        f.reply("hold /l/holder", replies::no_auth());
        CHECK(f.events() == texts{"failed 1 create_denied"});
    }
    SECTION("the path is made anew") {
        f.reply("hold /l/holder", replies::no_node());
        f.reply("get /l", replies::no_node());
        CHECK(f.open() == texts{"container /l"});
    }
}

TEST_CASE("a session that is closed tells all, and leaves the node to the server") {
    contender_of_one f;
    f.holds();
    f.take(2);
    f.machine.close(f.now);
    CHECK(f.events() == texts{"failed 2 session_closed", "lost 1 session_closed"});
    CHECK(f.wire.closes == 1);
}

TEST_CASE("while no server can be reached an acquire waits its own limit") {
    contender_of_one f;
    f.waits();
    f.cut();
    f.pass(30s);
    CHECK(f.events() == texts{"failed 1 unreachable"});
}

TEST_CASE("further handles keep the node until the last is released") {
    contender_of_one f;
    f.holds();
    f.machine.share(f.now, 1, 2);
    f.release(1);
    CHECK(f.events() == texts{"released 1 none"});
    CHECK(f.open().empty());
    SECTION("released") {
        f.release(2);
        f.reply("unhold /l/holder", replies::ok());
        CHECK(f.events() == texts{"released 2 none"});
    }
    SECTION("lost") {
        f.machine.share(f.now, 2, 3);
        f.cut(disconnect_reason::expired);
        CHECK(f.events() == texts{"lost 2 lost_expired", "lost 3 lost_expired"});
    }
}

TEST_CASE("no lock path lies below another, of whatever kind") {
    contender_of_one f;
    f.holds();
    f.acquire(2, "/l/below");
    f.acquire(3, "/m/n");
    acquire_request above;
    above.path = "/m";
    above.single_node = true;
    f.machine.acquire(f.now, 4, above);
    CHECK(f.events() == texts{"failed 2 nested_path", "failed 4 nested_path"});
}
