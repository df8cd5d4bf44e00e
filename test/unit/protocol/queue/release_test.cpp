// SPDX-License-Identifier: BSL-1.0
// Release: one transaction that hands over, a plain deletion where that is refused.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a refused transaction is followed by a plain deletion") {
    const auto refusal = GENERATE(zookeeper_code::no_auth, zookeeper_code::invalid_acl,
                                  zookeeper_code::bad_version, zookeeper_code::unimplemented);
    machine_fixture f;
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), replies::code(refusal));
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"delete " + ticket_path(0)});
    SECTION("which is carried out") {
        f.reply("delete " + ticket_path(0), replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("which finds nothing: the first try may have been carried out") {
        f.reply("delete " + ticket_path(0), replies::no_node());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("which is denied: held until the session ends") {
        f.reply("delete " + ticket_path(0), replies::no_auth());
        CHECK(f.events() == texts{"released 1 release_denied"});
    }
    SECTION("which fails in another way: the node may stand, and is asked for again") {
        f.reply("delete " + ticket_path(0), replies::code(zookeeper_code::unimplemented));
        CHECK(f.events().empty());
        CHECK(f.wire.drops == 1);
        f.cut();
        f.reconnect();
        f.reply("check /l", replies::ok());
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("delete " + ticket_path(0), replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    CHECK(f.open().empty());
}

TEST_CASE("a release that finds no ticket tells that a foreign client had deleted it") {
    machine_fixture f;
    f.hold();
    f.release(1);
    f.reply("release " + ticket_path(0), replies::no_node());
    CHECK(f.events() == texts{"released 1 ticket_deleted"});
}

TEST_CASE("an empty lock path with a high counter is deleted, so that it starts again") {
    machine_fixture f;
    f.hold(sequence_high);
    f.release(1);
    f.reply("release " + ticket_path(sequence_high), replies::ok());
    CHECK(f.open() == texts{"delete /l"});
    SECTION("and asked for again") {
        f.reply("delete /l", replies::ok());
        f.acquire(2);
        CHECK(f.open() == texts{"get /l"});
    }
    SECTION("others in it are no error") {
        f.reply("delete /l", replies::code(zookeeper_code::not_empty));
        f.acquire(2);
        CHECK(f.open() == texts{"enqueue /l/turn-5-lock-"});
    }
}

namespace {

// The connection is lost, and the server refuses the session.
void lose_hope(machine_fixture& f) {
    f.cut();
    f.pass(500ms);
    f.cut(disconnect_reason::auth_failed);
    REQUIRE(f.machine.phase() == session_state::idle);
}

} // namespace

TEST_CASE("a session that gives up tells the releases that wait, and carries them out later") {
    machine_fixture f;
    f.hold();
    f.release(1);
    lose_hope(f);
    CHECK(f.events() == texts{"released 1 unreachable"});
    f.machine.connect(f.now);
    f.accept();
    f.reply("check /l", replies::ok());
    f.reply("get " + ticket_path(0), replies::node(100, our_session));
    f.reply("release " + ticket_path(0), replies::ok());
    CHECK(f.events().empty());
    CHECK(f.open().empty());
}

TEST_CASE("a release after the session gave up tries again") {
    machine_fixture f;
    f.hold();
    f.cut();
    f.pass(15s); // it does not give up before
    f.cut(disconnect_reason::auth_failed);
    REQUIRE(f.machine.phase() == session_state::idle);
    CHECK(f.events() == texts{"lost 1 lease_lost"});
    const auto attempts = f.wire.connects.size();
    f.release(1);
    CHECK(f.wire.connects.size() == attempts + 1);
    CHECK(f.events() == texts{"released 1 lease_lost"});
    f.accept();
    f.reply("check /l", replies::ok());
    f.reply("delete " + ticket_path(0), replies::ok());
    CHECK(f.open().empty());
}
