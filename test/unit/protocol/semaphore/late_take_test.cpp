// Takes whose answer was lost: carried out late, in part gone again, or never.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string lists_leases = "list /s/leases";

struct late_user : user_of_leases {
    /// Its take was sent, its connection broke, and it is back. The sweep is open.
    void comes_back(std::uint32_t count = 1) {
        is_taking(count);
        cut();
        reconnect();
        reply("check " + place(4), replies::ok());
    }
    std::ptrdiff_t listings() { return std::ranges::count(open(), lists_leases); }
    /// All that is open is answered where the ticket stands, alone; not the listings of the leases.
    void stands_first() {
        while (open().front() != lists_leases) {
            const auto next = open().front();
            reply(next, answer_to(next));
        }
    }
    static turnstile::protocol::reply answer_to(const std::string& what) {
        if (what == "watch /s/limit")
            return {.stat = {.czxid = semaphore_incarnation}, .data = limit_text(3)};
        if (what == "list /s/queue")
            return replies::listing({"turn-7-lock-0000000004"}, semaphore_incarnation);
        if (what.ends_with(place(4)))
            return replies::node(250, our_session);
        return replies::no_node();
    }
};

} // namespace

TEST_CASE("leases of a lost take of which some are gone again are given back") {
    late_user f;
    f.comes_back(2);
    f.listed({lease_text(false, 2, 5)}, 6);
    const auto open = f.open();
    CHECK(std::ranges::count(open, "delete " + in_leases(lease_text(false, 2, 5))) == 1);
    CHECK(std::ranges::count(open, "delete " + place(4)) == 1); // its ticket stands for nothing now
    CHECK(f.events().empty());
}

TEST_CASE("leases that a busy server does not list are asked for again after a lost take") {
    late_user f;
    f.comes_back();
    f.reply(lists_leases, replies::code(zookeeper_code::throttled));
    while (!f.open().empty() && f.open().front() != lists_leases)
        f.reply(f.open().front(), f.answer_to(f.open().front()));
    f.pass(2s);
    CHECK(f.listings() == 2); // for the lost take, and for what is free
    CHECK(f.events().empty());
}

TEST_CASE("a take that comes late is held, though its ticket seemed to stand since") {
    late_user f;
    f.comes_back();
    f.reply(lists_leases, replies::code(zookeeper_code::throttled));
    f.stands_first();
    const texts others{others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)};
    f.listed(others, 4);
    for (int answers = 0; answers < 20 && f.listings() == 0; ++answers) {
        if (f.open().empty())
            f.pass(2s);
        else
            f.reply(f.open().front(), f.answer_to(f.open().front()));
    }
    f.stands_first();
    f.listed({lease_text(false, 2, 4)}, 5);
    while (!f.open().empty() && f.told.events.empty()) {
        const auto next = f.open().front();
        f.reply(next,
                next == "get " + found_take ? replies::node(300, our_session) : replies::ok());
    }
    CHECK(f.events() == texts{"granted 1 token 300"});
}

TEST_CASE("who gives up on its second take leaves the first to be looked for") {
    late_user f;
    f.comes_back();
    f.listed({}, 4); // it was not carried out, or not yet
    f.stands_first();
    f.listed({}, 4);
    REQUIRE(f.open() == texts{f.take_text(3, 4)});
    f.cancel(1);
    f.reply(f.take_text(3, 4), replies::code(zookeeper_code::bad_version));
    CHECK(f.listings() == 1);
    CHECK(f.events() == texts{"failed 1 cancelled"});
    while (f.open().front() != lists_leases)
        f.reply(f.open().front(), replies::ok());
    f.listed({lease_text(false, 2, 4)}, 5);
    CHECK(f.open().back() == "delete " + in_leases(lease_text(false, 2, 4)));
}

TEST_CASE("a late try is given back while its acquire takes other leases") {
    late_user f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.cut(); // the try has no answer
    f.reconnect();
    f.reply("check /s/limit", replies::ok());
    f.listed({}, 0);
    f.told_limit(3);
    f.reply(enqueues, replies::placed(place(4), 250, 0, semaphore_incarnation));
    f.told_limit(3, 0, true);
    f.listed({others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)}, 4);
    const std::vector taken{others_lease(false, 0), others_lease(false, 1), others_lease(false, 2)};
    for (int second = 0; second < 15; ++second) {
        f.live(1s); // what it watches is read again
        while (!f.open().empty() && f.open().front() == "watch /s/limit")
            f.told_limit(3, 0, true);
        while (!f.open().empty() && f.open().front() == lists_leases)
            f.listed(taken, 4);
    }
    // T after the first listing it looks once more, for what comes late.
    while (f.listings() == 0) {
        f.deleted("/s/leases"); // and made anew
        f.pass(1s);
    }
    CHECK(f.listings() == 2);
    f.listed({}, 4);
    REQUIRE(f.open().back() == f.take_text(2, 4));
    const bool given_up = GENERATE(false, true);
    if (given_up)
        f.cancel(1);
    f.listed({lease_text(true, 1, 5)}, 6);
    CHECK(f.open().back() == "delete " + in_leases(lease_text(true, 1, 5)));
    CHECK(f.events() == (given_up ? texts{"failed 1 cancelled"} : texts{}));
}

TEST_CASE("a lease that is leaving is not deleted twice by a listing that shows it") {
    user_of_leases f;
    f.holds();
    f.take(2);
    REQUIRE(f.open() == texts{f.try_text(2)});
    f.release(1);
    f.cut();
    f.reconnect();
    REQUIRE(f.open() == texts{"check /s/limit", "delete " + own_lease, lists_leases});
    f.reply("check /s/limit", replies::ok());
    f.reply("delete " + own_lease, replies::code(zookeeper_code::throttled));
    f.listed({lease_text(true, 1, 0), lease_text(true, 2, 1)}, 2);
    CHECK(std::ranges::count(f.open(), "delete " + own_lease) == 0);
    CHECK(std::ranges::count(f.open(), "delete " + in_leases(lease_text(true, 2, 1))) == 1);
}

TEST_CASE("a ticket whose take was refused is watched again") {
    user_of_leases f;
    f.is_first(1);
    f.own_watches_by_hand = true;
    f.pass(2s); // its own watch, which is answered while it takes
    f.listed({}, 4);
    const auto watches = "list " + place(4);
    REQUIRE(std::ranges::count(f.open(), watches) == 1);
    while (f.open().front() != f.take_text(2, 4))
        f.reply(f.open().front(), replies::node(250, our_session));
    f.reply(f.take_text(2, 4), replies::code(zookeeper_code::throttled));
    f.pass(2s);
    CHECK(std::ranges::count(f.open(), watches) == 1);
}

TEST_CASE("whoever could not take is told of a lease of its session that may not be deleted") {
    user_of_leases f;
    f.holds();
    f.take(2, 3);
    f.tried(2, 0, 1, 1, 3);
    f.reply(f.leases_text("delete", true, 2, 1, 3), replies::ok());
    f.reply(enqueues, replies::placed(place(4), 250, 0, semaphore_incarnation));
    f.told_limit(3, 0, true);
    f.release(1);
    f.listed({}, 4);
    REQUIRE(f.open() == texts{"delete " + own_lease, f.take_text(3, 4, 3)});
    f.reply("delete " + own_lease, replies::no_auth());
    CHECK(f.events() == texts{"released 1 release_denied"});
    f.reply(f.take_text(3, 4, 3), replies::code(zookeeper_code::throttled));
    CHECK(f.events() == texts{"failed 2 release_denied"});
}
