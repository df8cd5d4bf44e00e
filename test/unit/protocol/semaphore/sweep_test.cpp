// SPDX-License-Identifier: BSL-1.0
// What becomes of permits whose answer was lost.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("after a lost answer a tried permit is deleted, and a taken one is held") {
    user_of_permits f;
    SECTION("tried") {
        f.connect();
        f.take(1, 1, false);
        f.told_limit(3);
        REQUIRE(f.open() == texts{f.try_text(1)});
        f.cut();
        f.reconnect();
        f.reply("check /s/limit", replies::ok());
        f.listed({permit_text(true, 1, 0), others_permit(true, 1)}, 2);
        f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
        f.told_limit(3);
        f.tried(2, 0, 1, 2); // and tries again
        CHECK(f.events() == texts{"granted 1 token 200"});
        f.live(17s); // the transaction may have been held back on its way
        f.listed({permit_text(true, 1, 5), permit_text(true, 2, 2)}, 6);
        CHECK(f.open().back() == "delete " + in_permits(permit_text(true, 1, 5)));
    }
    SECTION("tried, and the next answer is lost as well") {
        const auto try_lost = [&](std::uint64_t attempt) {
            f.take(attempt, 1, false);
            while (f.open().front() != f.try_text(attempt)) // the limit, and a beat
                f.reply(f.open().front(), f.limit_reply(3));
            REQUIRE(f.open() == texts{f.try_text(attempt)});
            f.cut();
            f.reconnect();
            f.reply("check /s/limit", replies::ok());
            f.listed({}, 0);
            f.told_limit(3);
            f.tried(attempt + 1, 0, 3, static_cast<std::int32_t>(attempt)); // none is free
            f.reply("delete " + in_permits(permit_text(true, attempt + 1,
                                                       static_cast<std::int32_t>(attempt))),
                    replies::ok());
            f.finds_no_stray(f.three);
        };
        f.connect();
        try_lost(1);
        f.live(10s);
        try_lost(3);
        f.live(10s); // the first has been held back for longer than any transaction is
        CHECK(std::ranges::count(f.open(), "list /s/leases") == 0);
        f.live(7s); // and now the second
        CHECK(std::ranges::count(f.open(), "list /s/leases") == 1);
    }
    SECTION("taken") {
        f.is_first(1);
        f.listed({}, 4);
        REQUIRE(f.open() == texts{f.take_text(2, 4)});
        f.cut();
        f.reconnect();
        f.reply("check " + place(4), replies::no_node());
        while (f.open().front() != "list /s/leases")
            f.reply(f.open().front(),
                    f.open().front() == "watch /s/limit"
                        ? turnstile::protocol::reply{.stat = {.czxid = semaphore_incarnation},
                                                     .data = limit_text(3)}
                        : replies::no_node());
        f.listed({permit_text(false, 2, 4)}, 5);
        bool granted = false;
        while (!granted && !f.open().empty()) {
            const auto next = f.open().front();
            f.reply(next, next.starts_with("get /s/leases") ? replies::node(300, our_session)
                          : next.starts_with("transact")    ? replies::ok()
                                                            : replies::no_node());
            granted = std::ranges::count(f.told.events, "granted 1 token 300") > 0;
        }
        CHECK(granted);
    }
}
