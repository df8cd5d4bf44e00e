// SPDX-License-Identifier: BSL-1.0
// Another hand deletes one of the three nodes, or makes one by itself.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string makes_parts = "create /s/limit; create /s/queue; create /s/leases";

struct damaged_semaphore : user_of_leases {
    /// Somebody stands first in line, and has stated the limit, or has not.
    void waits(std::optional<std::uint32_t> limit = {}) {
        connect();
        take(1, 1, true, limit);
        told_limit(3);
        tried(1, 0, 3, 2);
        reply("delete " + in_leases(lease_text(true, 1, 2)), replies::ok());
        reply("enqueue /s/queue/turn-7-lock-",
              replies::placed(place(4), 250, 0, semaphore_incarnation));
        told_limit(3, 0, true);
        listed({others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)}, 3);
        REQUIRE(open().empty());
    }
    void looks_around(std::vector<std::string> parts) {
        reply("list /s", {.stat = {.czxid = 5, .version = 2}, .children = std::move(parts)});
    }
    /// The transaction that makes all anew was carried out, and the acquire goes on.
    void goes_on() {
        reply("get /s/limit", {.stat = {.czxid = semaphore_incarnation}, .data = limit_text(3)});
        CHECK(std::ranges::count_if(open(), [](const std::string& text) {
                  return text.starts_with("transact /scheck /s/limit@0; set /s/queue") ||
                         text.starts_with("enqueue /s/queue");
              }) == 1);
    }
};

} // namespace

TEST_CASE("a limit that was deleted by itself is made again") {
    damaged_semaphore f;
    SECTION("while somebody waits who has stated it") {
        f.waits(3);
        f.deleted("/s/limit");
        f.reply("watch /s/limit", replies::no_node());
        f.reply("delete " + place(4), replies::ok());
        f.reply("get /s", replies::folder(5));
        f.looks_around({"leases", "queue"});
        f.reply("transact /sset /s@2; delete /s/leases; delete /s/queue; " + makes_parts,
                replies::ok());
        f.goes_on();
        CHECK(f.events().empty());
    }
    SECTION("and whoever has stated none is told, if nobody has") {
        f.waits();
        f.deleted("/s/limit");
        f.reply("watch /s/limit", replies::no_node());
        f.reply("delete " + place(4), replies::ok());
        f.told_no_limit_for_sure();
        CHECK(f.events() == texts{"failed 1 no_limit"});
        CHECK(f.open().empty());
    }
    SECTION("once nobody holds any more") {
        f.connect();
        f.take(1, 1, true, 3);
        f.reply("get /s/limit", replies::no_node());
        f.reply("get /s", replies::folder(5));
        f.looks_around({"leases", "queue"});
        f.reply(f.open().front(), replies::code(zookeeper_code::not_empty));
        CHECK(f.open().empty());
        f.live(2s);
        CHECK(f.open() == texts{"get /s/limit"});
        CHECK(f.events().empty());
    }
    SECTION("once an own lease may be deleted again") {
        f.holds();
        f.release(1);
        const auto own = in_leases(lease_text(true, 1, 0));
        f.reply("delete " + own, replies::no_auth());
        f.take(2, 1, true, 4);
        f.told_no_limit_for_sure();
        f.reply("get /s", replies::folder(5));
        f.looks_around({"leases", "queue"});
        f.reply(f.open().front(), replies::code(zookeeper_code::not_empty));
        CHECK(f.open() == texts{"delete " + own});
        f.events();
    }
    SECTION("or given up, where an own ticket may not be deleted") {
        const auto finds_it_not_empty = [&] {
            f.reply("get /s", replies::folder(5));
            f.looks_around({"leases", "queue"});
            f.reply(f.open().front(), replies::code(zookeeper_code::not_empty));
        };
        f.waits(3);
        f.deleted("/s/limit");
        f.reply("watch /s/limit", replies::no_node());
        f.reply("delete " + place(4), replies::no_auth());
        finds_it_not_empty();
        CHECK(f.open() == texts{"get " + place(4)}); // the permission may be there again
        f.reply("get " + place(4), replies::node(250, our_session));
        f.reply("delete " + place(4), replies::no_auth());
        CHECK(f.events().empty());
        SECTION("at the second time") {
            f.live(2s);
            f.reply("get /s/limit", replies::no_node());
            finds_it_not_empty();
            CHECK(f.events() == texts{"failed 1 release_denied"});
        }
        SECTION("not for an earlier wait: whoever comes later has it tried again") {
            f.cancel(1);
            CHECK(f.events() == texts{"failed 1 cancelled"});
            f.take(2, 1, true, 3);
            f.reply("get /s/limit", replies::no_node());
            finds_it_not_empty();
            CHECK(f.open() == texts{"get " + place(4)});
            CHECK(f.events().empty());
        }
    }
    SECTION("and who may not wait, does not") {
        f.connect();
        f.take(1, 1, false, 3);
        f.reply("get /s/limit", replies::no_node());
        f.reply("get /s", replies::folder(5));
        f.looks_around({"leases", "queue"});
        f.reply(f.open().front(), replies::code(zookeeper_code::not_empty));
        CHECK(f.events() == texts{"failed 1 would_block"});
    }
    SECTION("or given up, where somebody holds on and on") {
        f.connect();
        f.take(1, 1, true, 3);
        for (int rounds = 0; rounds < 100 && f.told.events.empty(); ++rounds) {
            f.live(2s);
            while (!f.open().empty()) {
                const auto next = f.open().front();
                if (next == "list /s")
                    f.looks_around({"leases", "queue"});
                else
                    f.reply(next, next == "get /s/limit" ? replies::no_node()
                                  : next.starts_with("transact /sset")
                                      ? replies::code(zookeeper_code::not_empty)
                                      : replies::folder(5));
            }
        }
        CHECK(f.events() == texts{"failed 1 path_unstable"});
    }
}

TEST_CASE("who waits is told where the limit says nothing any more") {
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

TEST_CASE("what was searched for others, who wait no more, makes no path unstable") {
    damaged_semaphore f;
    f.connect();
    for (ticket_id id = 1; id <= 40; ++id) {
        f.take(id, 1, true, 3);
        f.reply("get /s/limit", replies::no_node());
        const auto text = std::to_string(id);
        if (id % 2 == 0) {
            f.cancel(id);
            CHECK(f.events() == texts{"failed " + text + " cancelled"});
        }
        f.reply("get /s", replies::no_auth());
        if (id % 2 == 1)
            CHECK(f.events() == texts{"failed " + text + " read_denied"});
    }
}

TEST_CASE("a damaged semaphore whose path has got data is not made anew") {
    damaged_semaphore f;
    f.waits(3);
    f.deleted("/s/limit");
    f.reply("watch /s/limit", replies::no_node());
    f.reply("delete " + place(4), replies::ok());
    f.reply("get /s", replies::folder(5));
    f.reply("list /s",
            {.stat = {.czxid = 5, .data_bytes = 4, .version = 2}, .children = {"leases", "queue"}});
    CHECK(f.events() == texts{"failed 1 path_has_data"});
    CHECK(f.open().empty());
}
