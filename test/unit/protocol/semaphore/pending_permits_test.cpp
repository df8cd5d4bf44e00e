// SPDX-License-Identifier: BSL-1.0
// Permits that are leaving, and that a busy server sends back.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const auto one_permit = in_permits(permit_text(true, 1, 0));
const auto deletes_two =
    "transact /sdelete " + one_permit + "; delete " + in_permits(permit_text(true, 1, 1));

} // namespace

TEST_CASE("a release of permits that a busy server sends back is sent again as it was") {
    user_of_permits f;
    SECTION("of one") {
        f.holds();
        f.release(1);
        f.reply("delete " + one_permit, replies::code(zookeeper_code::throttled));
        CHECK(f.open().empty());
        f.live(2s);
        REQUIRE_FALSE(f.open().empty());
        f.reply("delete " + one_permit, replies::no_node()); // not by the deletion that came back
        CHECK(f.events() == texts{"released 1 ticket_deleted"});
    }
    SECTION("of several") {
        f.holds(2);
        f.release(1);
        f.reply(deletes_two, replies::code(zookeeper_code::throttled));
        CHECK(f.open().empty());
        f.live(2s);
        REQUIRE_FALSE(f.open().empty());
        f.reply(deletes_two, replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    CHECK(f.wire.drops == 0);
}

TEST_CASE("a close does not wait for deletions of permits that were sent back") {
    user_of_permits f;
    f.holds();
    f.release(1);
    f.reply("delete " + one_permit, replies::code(zookeeper_code::throttled));
    f.machine.close(f.now);
    CHECK(f.wire.closes == 1);
    f.cut(disconnect_reason::closed);
    CHECK(f.events() == texts{"released 1 none", "closed"});
    CHECK_FALSE(f.machine.next_timer());
}
