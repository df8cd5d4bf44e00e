// SPDX-License-Identifier: BSL-1.0
// The session is closed while permits are asked for, on their way, held, or lost.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct closing_user : user_of_permits {
    void close() { machine.close(now); }
    /// The server has ended the session, and nothing is left of it.
    void check_closed() {
        CHECK(open().empty());
        CHECK(wire.closes == 1);
        cut(disconnect_reason::closed);
        CHECK(events() == texts{"closed"});
        CHECK_FALSE(machine.next_timer());
    }
};

} // namespace

TEST_CASE("a close tells each handle of a permit that it is lost") {
    closing_user f;
    f.holds();
    f.share(1, 2);
    f.close();
    CHECK(f.events() == texts{"lost 1 session_closed", "lost 2 session_closed"});
    f.release(2);
    CHECK(f.events() == texts{"released 2 lease_lost"});
    f.check_closed(); // the permits go with the session
}

TEST_CASE("a close tells each acquire of permits, and takes none any more") {
    closing_user f;
    SECTION("an acquire that waits for the limit") {
        f.connect();
        f.take(1);
        f.close();
        CHECK(f.events() == texts{"failed 1 session_closed"});
        f.told_limit(3);
    }
    SECTION("an acquire that tries") {
        f.connect();
        f.take(1);
        f.told_limit(3);
        f.close();
        CHECK(f.events() == texts{"failed 1 session_closed"});
        f.tried(1, 0, 0);
    }
    SECTION("an acquire that is enqueued") {
        f.connect();
        f.take(1);
        f.told_limit(3);
        f.tried(1, 0, 3);
        f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
        f.close();
        CHECK(f.events() == texts{"failed 1 session_closed"});
        f.reply("enqueue /s/queue/turn-7-lock-",
                replies::placed(place(4), 250, 0, semaphore_incarnation));
        f.told_limit(3, 0, true);
    }
    SECTION("the first in line, and the next") {
        f.is_first(1);
        f.take(2);
        f.close();
        CHECK(f.events() == texts{"failed 1 session_closed", "failed 2 session_closed"});
        f.listed({}, 4);
        f.reply("enqueue /s/queue/turn-7-lock-",
                replies::placed(place(5), 260, 1, semaphore_incarnation));
    }
    SECTION("an acquire that has still to prove the session's lease") {
        f.is_confirming();
        f.close();
        CHECK(f.events() == texts{"failed 1 session_closed"});
        f.reply(f.permits_text("check", true, 1, 0, 1), replies::ok());
    }
    f.check_closed();
}

TEST_CASE("a session that is stopped leaves no timer of its semaphore") {
    closing_user f;
    SECTION("that a busy server has sent away") {
        f.connect();
        f.take(1);
        f.reply("get /s/limit", replies::code(zookeeper_code::throttled));
    }
    SECTION("that takes permits") { f.is_taking(); }
    SECTION("that looks for what came late") {
        f.is_taking();
        f.cut();
        f.reconnect();
    }
    f.machine.stop(f.now);
    CHECK(f.events() == texts{"failed 1 session_closed"});
    CHECK_FALSE(f.machine.next_timer());
}
