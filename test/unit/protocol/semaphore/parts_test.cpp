// SPDX-License-Identifier: BSL-1.0
// A foreign client deletes one of the three nodes, or writes to the limit.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct damaged_semaphore : user_of_permits {
    /// An acquire stands first in line, and has stated the limit, or has not.
    void waits(std::optional<std::uint32_t> limit = {}) {
        connect();
        take(1, 1, true, limit);
        told_limit(3);
        tried(1, 0, 3, 2);
        reply("delete " + in_permits(permit_text(true, 1, 2)), replies::ok());
        reply("enqueue /s/queue/turn-7-lock-",
              replies::placed(place(4), 250, 0, semaphore_incarnation));
        told_limit(3, 0, true);
        listed({others_permit(false, 0), others_permit(false, 1), others_permit(false, 2)}, 3);
        REQUIRE(open().empty());
    }
};

} // namespace

TEST_CASE("an acquire that waits is told where the limit was deleted by itself") {
    damaged_semaphore f;
    SECTION("and has stated it: a part of a semaphore is not made anew") {
        f.waits(3);
        f.deleted("/s/limit");
        f.reply("watch /s/limit", replies::no_node());
        f.reply("delete " + place(4), replies::ok());
        f.reply("get /s", replies::folder(5));
        const reply half{.stat = {.czxid = 5, .version = 2}, .children = {"leases", "queue"}};
        f.reply("list /s", half);
        f.looks_again({{"get /s/limit", replies::no_node()},
                       {"get /s", replies::folder(5)},
                       {"list /s", half}});
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
    }
    SECTION("and has stated none") {
        f.waits();
        f.deleted("/s/limit");
        f.reply("watch /s/limit", replies::no_node());
        f.reply("delete " + place(4), replies::ok());
        f.told_no_limit_for_sure();
        CHECK(f.events() == texts{"failed 1 no_limit"});
    }
    CHECK(f.open().empty());
}

TEST_CASE("an acquire that waits is told where the directory of permits was deleted") {
    damaged_semaphore f;
    f.waits();
    f.machine.on_watch(f.now, watch_event::deleted, "/s/leases");
    f.reply("list /s/leases", replies::no_node());
    SECTION("by itself: it is looked for again, and then it counts") {
        f.looks_again({{"watch /s/limit", f.limit_reply(3)}});
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
        CHECK(std::ranges::count(f.open(), "delete " + place(4)) == 1);
    }
    SECTION("and then the others: they start anew") {
        f.deleted("/s/limit");
        f.reply("watch /s/limit", replies::no_node());
        f.reply("delete " + place(4), replies::ok());
        f.told_no_limit_for_sure();
        CHECK(f.events() == texts{"failed 1 no_limit"});
    }
}

TEST_CASE("an acquire that waits is told where the limit says nothing any more") {
    damaged_semaphore f;
    f.waits();
    f.changed("/s/limit");
    SECTION("no limit is in it") {
        f.reply("watch /s/limit", {.stat = {.czxid = semaphore_incarnation}, .data = "3"});
        CHECK(f.events() == texts{"failed 1 wrong_kind"});
    }
    SECTION("it may not be read") {
        f.reply("watch /s/limit", replies::no_auth());
        CHECK(f.events() == texts{"failed 1 read_denied"});
    }
    CHECK(f.open() == texts{"delete " + place(4)});
}
