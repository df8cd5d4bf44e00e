// SPDX-License-Identifier: BSL-1.0
// A semaphore as one of several locks: its key, and acquires that want it in one incarnation.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

constexpr std::int64_t newer_incarnation = semaphore_incarnation + 1;

struct part_of_several : user_of_permits {
    using user_of_permits::user_of_permits;

    static acquire_request wish(std::uint32_t count, std::optional<std::uint32_t> limit = {}) {
        acquire_request what;
        what.path = "/s";
        what.permits = count;
        what.stated_limit = limit;
        return what;
    }
    void look_up(inquiry_id id, std::uint32_t count = 1, std::optional<std::uint32_t> limit = {}) {
        machine.look_up(now, id, wish(count, limit));
    }
    void want(ticket_id id, std::int64_t incarnation = semaphore_incarnation,
              std::optional<std::uint32_t> limit = {}) {
        auto what = wish(1, limit);
        what.incarnation = incarnation;
        machine.acquire(now, id, what);
    }
    static turnstile::protocol::reply limit_of(std::int64_t incarnation) {
        return {.stat = {.czxid = incarnation, .ctime = 77}, .data = limit_text(3)};
    }
};

} // namespace

TEST_CASE("a look-up tells the key of a semaphore's nodes, and the acquire after it asks no more") {
    part_of_several f;
    f.connect();
    f.look_up(9);
    f.reply("get /s/limit", f.limit_of(semaphore_incarnation));
    CHECK(f.events() == texts{"looked up 9: 7 77"});
    CHECK(f.open().empty());
    f.look_up(8); // known by now
    CHECK(f.events() == texts{"looked up 8: 7 77"});
    f.want(1);
    f.tried(1, 0, 0);
    CHECK(f.events() == texts{"granted 1 token 200"});
}

TEST_CASE("a look-up makes the semaphore where it is missing, if it states a limit") {
    part_of_several f;
    f.connect();
    SECTION("it does") {
        f.look_up(9, 1, 3);
        f.reply("get /s/limit", replies::no_node());
        f.reply("get /s", replies::folder(5));
        f.reply("list /s", {.stat = {.czxid = 5, .version = 2}});
        f.reply("transact /scheck /s@2; create /s/limit; create /s/queue; create /s/leases",
                replies::ok());
        CHECK(f.events().empty());
        f.reply("get /s/limit", f.limit_of(semaphore_incarnation));
        CHECK(f.events() == texts{"looked up 9: 7 77"});
    }
    SECTION("it states none") {
        f.look_up(9);
        f.reply("get /s/limit", replies::no_node());
        f.told_no_limit_for_sure();
        CHECK(f.events() == texts{"not looked up 9 no_limit"});
    }
    SECTION("not beside what is left of one") {
        f.look_up(9, 1, 3);
        f.reply("get /s/limit", replies::no_node());
        f.reply("get /s", replies::folder(5));
        const reply half{.stat = {.czxid = 5, .version = 2}, .children = {"leases", "queue"}};
        f.reply("list /s", half);
        f.looks_again({{"get /s/limit", replies::no_node()},
                       {"get /s", replies::folder(5)},
                       {"list /s", half}});
        CHECK(f.events() == texts{"not looked up 9 wrong_kind"});
    }
    CHECK(f.open().empty());
}

TEST_CASE("a look-up is refused as an acquire of as many permits would be") {
    part_of_several f;
    f.connect();
    SECTION("more than there can be") {
        f.look_up(9, 4);
        f.told_limit(3);
        f.told_limit_for_sure(3);
        CHECK(f.events() == texts{"not looked up 9 too_many"});
    }
    SECTION("a limit of none") {
        f.look_up(9, 1, 0);
        CHECK(f.events() == texts{"not looked up 9 too_many"});
    }
    SECTION("another limit") {
        f.look_up(9, 1, 4);
        f.told_limit(3);
        f.told_limit_for_sure(3);
        CHECK(f.events() == texts{"not looked up 9 limit_differs"});
    }
    SECTION("no permission") {
        f.look_up(9);
        f.reply("get /s/limit", replies::no_auth());
        CHECK(f.events() == texts{"not looked up 9 read_denied"});
    }
    SECTION("a lock of another kind") {
        f.acquire(1, "/s");
        f.look_up(9);
        CHECK(f.events() == texts{"not looked up 9 wrong_kind"});
    }
    SECTION("a session that is over") {
        f.machine.stop(f.now);
        f.look_up(9);
        CHECK(f.events() == texts{"not looked up 9 session_closed"});
    }
}

TEST_CASE("an acquire of one incarnation of a semaphore takes no permit of another") {
    part_of_several f;
    f.connect();
    SECTION("the limit shows it") {
        f.want(1);
        f.reply("get /s/limit", f.limit_of(newer_incarnation));
    }
    SECTION("the limit is known") {
        f.look_up(9);
        f.reply("get /s/limit", f.limit_of(newer_incarnation));
        f.events();
        f.want(1);
    }
    SECTION("it was made anew since the limit was read") {
        f.want(1);
        f.told_limit(3);
        f.reply(f.try_text(1), replies::code(zookeeper_code::bad_version));
        f.reply("get /s/limit", f.limit_of(newer_incarnation));
    }
    SECTION("it has to be made anew") {
        f.want(1, semaphore_incarnation, 3);
        f.reply("get /s/limit", replies::no_node());
        f.reply("get /s", replies::folder(5));
        f.reply("list /s", {.stat = {.czxid = 5, .version = 2}});
        f.reply(f.open().front(), replies::ok());
        f.reply("get /s/limit", f.limit_of(newer_incarnation));
    }
    CHECK(f.events() == texts{"failed 1 path_renewed"});
    CHECK(f.open().empty());
}

TEST_CASE("a semaphore goes in no transaction with other locks") {
    part_of_several f;
    f.connect();
    acquire_request lock;
    lock.path = "/l";
    lock.incarnation = 5;
    auto permits = f.wish(1);
    permits.incarnation = semaphore_incarnation;
    SECTION("it comes second") {
        f.machine.acquire(f.now, {{1, lock}, {2, permits}});
        CHECK(f.events() == texts{"failed 2 taken_back"});
        f.reply(f.open().front(), replies::code(zookeeper_code::no_node));
    }
    SECTION("it comes first") {
        f.machine.acquire(f.now, {{2, permits}, {1, lock}});
        CHECK(f.events() == texts{"failed 1 taken_back"});
        f.told_limit(3);
        f.tried(1, 0, 0);
        CHECK(f.events() == texts{"granted 2 token 200"});
    }
}
