// A semaphore as one of several locks: its key, and acquires that want it in one incarnation.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

constexpr std::int64_t newer_incarnation = semaphore_incarnation + 1;

struct part_of_several : user_of_leases {
    using user_of_leases::user_of_leases;

    static acquire_request wish(std::uint32_t count, std::optional<std::uint32_t> limit = {}) {
        acquire_request what;
        what.path = "/s";
        what.leases = count;
        what.stated_limit = limit;
        return what;
    }
    void look_up(inquiry_id id, std::uint32_t count = 1, std::optional<std::uint32_t> limit = {}) {
        machine.look_up_semaphore(now, id, wish(count, limit));
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
    void listed_of(std::int64_t incarnation) {
        reply("list /s/leases", {.stat = {.czxid = incarnation}});
    }
    /// Stands in line, the first, and is to take its lease.
    void wants_in_line() {
        connect();
        want(1);
        told_limit(3);
        tried(1, 0, 3);
        reply("delete " + in_leases(lease_text(true, 1, 0)), replies::ok());
        reply(enqueues, replies::placed(place(4), 250, 0, semaphore_incarnation));
        told_limit(3, 0, true);
    }
    /// All that is asked finds the new semaphore, and nobody there, until the acquire is over.
    void lines_up_anew() {
        while (told.events.empty() && !open().empty()) {
            const auto next = open().front();
            INFO(next);
            REQUIRE_FALSE(next.starts_with("transact")); // it takes no lease
            if (next.ends_with("/s/limit") && !next.starts_with("check"))
                reply(next, limit_of(newer_incarnation));
            else if (next == "list /s/leases")
                listed_of(newer_incarnation);
            else if (next == "list /s/queue")
                reply(next, replies::listing({}, newer_incarnation));
            else if (next.starts_with("enqueue"))
                reply(next, replies::placed(next.substr(8) + digits(0), 250, 0, newer_incarnation));
            else
                reply(next, replies::no_node());
        }
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
    SECTION("at once only, where it may not wait for those who hold what is left of one") {
        auto what = f.wish(1, 3);
        what.patient = false;
        f.machine.look_up_semaphore(f.now, 9, what);
        f.reply("get /s/limit", replies::no_node());
        f.reply("get /s", replies::folder(5));
        f.reply("list /s", {.stat = {.czxid = 5, .version = 2}, .children = {"leases", "queue"}});
        f.reply(f.open().front(), replies::code(zookeeper_code::not_empty));
        CHECK(f.events() == texts{"not looked up 9 would_block"});
    }
    CHECK(f.open().empty());
}

TEST_CASE("a look-up is refused as an acquire of as many leases would be") {
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

TEST_CASE("a look-up of a semaphore ends as any look-up does") {
    part_of_several f;
    SECTION("where it is cancelled, and its answer is told to nobody") {
        f.connect();
        f.look_up(9);
        f.cancel(9);
        CHECK(f.events() == texts{"not looked up 9 cancelled"});
        f.told_limit(3);
    }
    SECTION("where its time limit is over") {
        f.connect();
        auto what = f.wish(1);
        what.limit = 1s;
        f.machine.look_up_semaphore(f.now, 9, what);
        f.pass(1s);
        CHECK(f.events() == texts{"not looked up 9 timed_out"});
    }
    SECTION("where no server answers") {
        f.look_up(9);
        CHECK(f.wire.connects.size() == 1);
        f.pass(30s);
        CHECK(f.events() == texts{"not looked up 9 unreachable"});
    }
    SECTION("where the session is closed") {
        f.connect();
        f.look_up(9);
        f.machine.close(f.now);
        CHECK(f.events() == texts{"not looked up 9 session_closed"});
    }
    SECTION("after it was asked again on the next connection") {
        f.connect();
        f.look_up(9);
        f.cut();
        CHECK(f.events().empty());
        f.reconnect();
        f.reply("check /s/limit", replies::no_node()); // a beat
        f.told_limit(3);
        CHECK(f.events() == texts{"looked up 9: 7 0"});
    }
    CHECK(f.events().empty());
}

TEST_CASE("who wants one incarnation of a semaphore takes no lease of another") {
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

TEST_CASE("who stands in line for one incarnation does not go on in another") {
    part_of_several f;
    f.wants_in_line();
    SECTION("the limit shows it") {
        f.listed({others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)}, 3);
        f.deleted("/s/limit");
        f.reply("watch /s/limit", f.limit_of(newer_incarnation));
        CHECK(f.events() == texts{"failed 1 path_renewed"});
        CHECK(f.open() == texts{"delete " + place(4)});
    }
    SECTION("the leases show it") {
        f.listed_of(newer_incarnation);
        f.reply("watch /s/limit", f.limit_of(newer_incarnation));
        CHECK(f.events() == texts{"failed 1 path_renewed"});
        CHECK(f.open() == texts{"delete " + place(4)});
    }
    SECTION("it was taking, and stands in the new line since") {
        const bool with_connection = GENERATE(true, false);
        if (with_connection)
            f.changed("/s/limit"); // the new one is read while it takes
        f.listed({}, 4);
        if (with_connection) {
            f.reply("watch /s/limit", f.limit_of(newer_incarnation));
            f.reply(f.take_text(2, 4), {.code = zookeeper_code::no_node,
                                        .results = {{}, {.code = zookeeper_code::no_node}}});
        } else {
            REQUIRE(f.open() == texts{f.take_text(2, 4)});
            f.cut();
            f.reconnect();
        }
        f.lines_up_anew();
        CHECK(f.events() == texts{"failed 1 path_renewed"});
    }
}

TEST_CASE("a semaphore goes in no transaction with other locks") {
    part_of_several f;
    f.connect();
    acquire_request lock;
    lock.path = "/l";
    lock.incarnation = 5;
    auto leases = f.wish(1);
    leases.incarnation = semaphore_incarnation;
    SECTION("it comes second") {
        f.machine.acquire(f.now, {{1, lock}, {2, leases}});
        CHECK(f.events() == texts{"failed 2 taken_back"});
        f.reply(f.open().front(), replies::code(zookeeper_code::no_node));
    }
    SECTION("it comes first") {
        f.machine.acquire(f.now, {{2, leases}, {1, lock}});
        CHECK(f.events() == texts{"failed 1 taken_back"});
        f.told_limit(3);
        f.tried(1, 0, 0);
        CHECK(f.events() == texts{"granted 2 token 200"});
    }
}
