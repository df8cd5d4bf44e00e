// What somebody needs goes while it acquires: the limit, the line, its ticket, the one who makes.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

constexpr auto no_node = zookeeper_code::no_node;
constexpr auto bad_version = zookeeper_code::bad_version;

reply fails_at(std::size_t step, zookeeper_code code) {
    reply answer{.code = code};
    answer.results.resize(step + 1);
    answer.results[step].code = code;
    return answer;
}

/// The next request is answered so that the limit is there, and never the queue.
void lose_queue(user_of_leases& f) {
    REQUIRE_FALSE(f.open().empty());
    const auto next = f.open().front();
    if (next.ends_with("/s/limit") && !next.starts_with("transact"))
        f.reply(next, {.stat = {.czxid = semaphore_incarnation}, .data = limit_text(3)});
    else if (next == "list /s")
        f.reply(next, replies::listing({"limit", "queue", "leases"}));
    else if (next.starts_with("transact"))
        f.reply(next, fails_at(1, zookeeper_code::no_node));
    else
        f.reply(next, replies::no_node());
}

} // namespace

TEST_CASE("a try that finds the limit changed goes on with the new one, as often as it holds") {
    user_of_leases f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    SECTION("once") {
        f.reply(f.try_text(1), fails_at(0, bad_version));
        f.told_limit(4, 1);
        CHECK(f.open() == texts{f.try_text(2, 1, 1)});
    }
    SECTION("on and on") {
        for (std::uint64_t attempt = 1; f.told.events.empty() && attempt <= 100; ++attempt) {
            const auto version = static_cast<std::int32_t>(attempt);
            f.reply(f.try_text(attempt, 1, version - 1), fails_at(0, bad_version));
            if (f.told.events.empty())
                f.told_limit(3, version);
        }
        CHECK(f.events() == texts{"failed 1 path_unstable"});
        CHECK(f.open().empty());
    }
}

TEST_CASE("a semaphore that is made anew while somebody tries is tried again") {
    user_of_leases f;
    f.is_first(1);
    f.cancel(1);
    f.listed({}, 4);
    f.reply("delete " + place(4), replies::ok());
    REQUIRE(f.events() == texts{"failed 1 cancelled"});
    f.changed("/s/limit");
    f.take(2, 1, false);
    REQUIRE(f.open() == texts{"get /s/limit", f.try_text(2)});
    const reply anew{.stat = {.czxid = semaphore_incarnation + 1}, .data = limit_text(3)};
    reply taken{.results = {{}, {}, {.stat = {.czxid = semaphore_incarnation + 1}}}};
    taken.results.push_back({.path = in_leases(lease_text(true, 2, 0))});
    SECTION("its new limit is known") {
        f.reply("get /s/limit", anew);
        f.reply(f.try_text(2), taken);
        CHECK(f.open().front() == "delete " + in_leases(lease_text(true, 2, 0)));
        CHECK(f.open().back().starts_with("transact /scheck /s/limit@0; set /s/queue"));
    }
    SECTION("it is gone again") {
        f.reply("get /s/limit", replies::no_node());
        f.reply(f.try_text(2), taken);
        CHECK(f.open() == texts{"delete " + in_leases(lease_text(true, 2, 0)), "get /s/limit"});
    }
    CHECK(f.events().empty());
}

TEST_CASE("a take that does not find what it needs looks what is missing") {
    user_of_leases f;
    f.is_taking();
    SECTION("the ticket, which its set misses") {
        f.reply(f.take_text(2, 4), fails_at(1, no_node));
        CHECK(f.open() == texts{enqueues});
    }
    SECTION("or its delete") {
        f.reply(f.take_text(2, 4), fails_at(2, no_node));
        CHECK(f.open() == texts{enqueues});
    }
    SECTION("the limit") {
        f.reply(f.take_text(2, 4), fails_at(0, no_node));
        CHECK(f.open() == texts{"watch /s/limit"});
    }
    SECTION("the leases") {
        f.reply(f.take_text(2, 4), fails_at(3, no_node));
        f.told_limit(3, 0, true);
        CHECK(f.open() == texts{"list /s"});
    }
    CHECK(f.events().empty());
}

TEST_CASE("a ticket that goes while its leases are taken: what was taken is found, and held") {
    user_of_leases f;
    f.is_first(1);
    f.take(3);
    f.listed({}, 4);
    REQUIRE(f.open() == texts{enqueues, f.take_text(2, 4)});
    f.reply(enqueues, replies::placed(place(5), 260, 1, semaphore_incarnation + 1));
    CHECK(std::ranges::count(f.open(), "list /s/leases") == 1); // which leases are there
    f.taken(2, 4, 4);
    CHECK(f.events().empty()); // it did not take them with the ticket that it has now
}

TEST_CASE("leases are not taken by a limit that is forgotten meanwhile") {
    user_of_leases f;
    f.is_first(1);
    f.listed({others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)}, 4);
    f.take(2);
    f.reply(enqueues, replies::no_node());
    REQUIRE(f.open() == texts{"get /s/queue"});
    f.deleted("/s/leases");
    REQUIRE(f.open() == texts{"get /s/queue", "list /s/leases"});
    f.reply("get /s/queue", replies::no_node());
    f.listed({}, 4);
    CHECK(f.open() == texts{"watch /s/limit"});
    CHECK(f.events().empty());
}

TEST_CASE("who takes while the semaphore goes fails with the one who cannot make it again") {
    user_of_leases f;
    f.is_first(1);
    f.deleted("/s/limit");
    f.listed({}, 4);
    f.take(2, 1, true, 3);
    REQUIRE(f.open() == texts{"watch /s/limit", f.take_text(2, 4), enqueues});
    f.reply("watch /s/limit", replies::no_node());
    f.reply(f.take_text(2, 4), fails_at(0, no_node));
    f.reply(enqueues, replies::placed(place(5), 260, 1, semaphore_incarnation));
    f.reply("get /s", replies::no_auth());
    auto told = f.events();
    std::ranges::sort(told);
    CHECK(told == texts{"failed 1 read_denied", "failed 2 read_denied"});
}

TEST_CASE("without the one who stated a limit no semaphore is made") {
    user_of_leases f;
    f.connect();
    f.take(1, 1, true, 3);
    f.take(2);
    f.reply("get /s/limit", replies::no_node());
    f.reply("get /s", replies::folder(5));
    f.cancel(1);
    f.reply("list /s", {.stat = {.czxid = 5, .version = 2}});
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.reply("get /s/limit", replies::no_node());
    f.told_no_limit_for_sure();
    CHECK(f.events() == texts{"failed 2 no_limit"});
    CHECK(f.open().empty());
}

TEST_CASE("a semaphore that comes and goes under whoever needs it ends the acquire") {
    user_of_leases f;
    f.connect();
    f.take(1, 1, true, 3);
    f.told_limit(3);
    SECTION("a part is missing, and somebody else is faster to make it") {
        f.reply(f.try_text(1), fails_at(2, no_node));
        for (int rounds = 0; rounds < 100 && f.told.events.empty(); ++rounds) {
            f.told_limit(3);
            if (!f.told.events.empty())
                break;
            f.reply("list /s", replies::listing({"limit", "queue"}));
            f.reply(f.open().front(), replies::code(bad_version));
        }
    }
    SECTION("its queue is not there, time after time") {
        f.tried(1, 0, 3);
        f.reply("delete " + own_lease, replies::ok());
        for (int answers = 0; answers < 1000 && f.told.events.empty(); ++answers)
            lose_queue(f);
    }
    CHECK(f.events() == texts{"failed 1 path_unstable"});
}

TEST_CASE("a semaphore that is another one with each try ends the acquire") {
    user_of_leases f;
    f.connect();
    f.take(1, 1, false);
    f.told_limit(3);
    for (std::uint64_t attempt = 1; attempt <= 100 && f.told.events.empty(); ++attempt) {
        f.tried(attempt, 0, 0, 0, 1, semaphore_incarnation + 1);
        f.reply("delete " + in_leases(lease_text(true, attempt, 0)), replies::ok());
        if (!f.told.events.empty())
            break;
        f.told_limit(3);
        f.reply("list /s", replies::listing({"limit", "queue", "leases"}));
        f.reply(f.open().front(), replies::ok());
        f.told_limit(3);
    }
    CHECK(f.events() == texts{"failed 1 path_unstable"});
    CHECK(f.open().empty());
}

TEST_CASE("a damaged semaphore is not made again where another lock came to stand") {
    user_of_leases f;
    f.connect();
    f.take(1, 1, true, 3);
    f.told_limit(3);
    f.reply(f.try_text(1), fails_at(2, no_node));
    f.told_limit(3);
    f.reply("list /s", replies::listing({"limit", "queue", "turn-5-lock-0000000001"}));
    CHECK(f.events() == texts{"failed 1 wrong_kind"});
    CHECK(f.open().empty());
}

TEST_CASE("a semaphore that was removed and made anew is used as it is now") {
    user_of_leases f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 0, 3);
    f.reply("delete " + in_leases(lease_text(true, 1, 0)), replies::ok());
    f.reply(enqueues, replies::no_node());
    f.told_limit(3, 0, true);
    f.reply("get /s/queue", replies::no_node());
    CHECK(f.events().empty());
    CHECK(f.open() == texts{"get /s/limit"});
}
