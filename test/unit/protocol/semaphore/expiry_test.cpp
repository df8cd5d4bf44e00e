// The session expires: what was held is lost, and whoever acquires begins anew in the next session.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct expired_user : user_of_leases {
    void expire() { cut(disconnect_reason::expired); }
    /// The next session, and the answer to its first beat.
    void come_back() {
        pass(3s);
        accept(other_session);
        reply(open().front(), replies::ok());
    }
    static std::string next_try(std::uint64_t attempt) {
        return "transact /scheck /s/limit@0; set /s/queue; set /s/leases; sequential " +
               in_leases(lease_prefix(true, attempt, other_session));
    }
};

} // namespace

TEST_CASE("with its session a lease is lost, by each of its handles") {
    expired_user f;
    f.holds();
    f.share(1, 2);
    f.expire();
    CHECK(f.events() == texts{"lost 1 lost_expired", "lost 2 lost_expired"});
    f.release(1);
    CHECK(f.events() == texts{"released 1 lost_deadline"});
    f.come_back();
    CHECK(f.open().empty());
}

TEST_CASE("a lease whose loss was told goes with its session without a word") {
    expired_user f;
    f.is_lost();
    REQUIRE(f.events() == texts{"lost 1 lost_deadline"});
    f.expire();
    f.release(1);
    CHECK(f.events() == texts{"released 1 lost_deadline"});
    f.come_back();
    f.live(2s); // past the deadline
    CHECK(f.open().empty());
}

TEST_CASE("a release is done when its session has expired") {
    expired_user f;
    f.holds(2);
    f.release(1);
    f.expire();
    CHECK(f.events() == texts{"released 1 none"});
    f.come_back();
    CHECK(f.open().empty());
}

TEST_CASE("who had taken no lease yet tries anew in the next session") {
    expired_user f;
    std::uint64_t next = 2;
    SECTION("after it asked for the limit") {
        f.connect();
        f.take(1);
        next = 1;
    }
    SECTION("after it took them, and before the session's lease was proved") { f.is_confirming(); }
    f.expire();
    CHECK(f.events().empty());
    f.come_back();
    f.told_limit(3);
    CHECK(f.open() == texts{f.next_try(next)});
}

TEST_CASE("who does not know what its try has found stands in line in the next session") {
    expired_user f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.expire();
    CHECK(f.events().empty());
    f.come_back();
    f.told_limit(3);
    CHECK(f.open() == texts{enqueues, "watch /s/limit"});
}

TEST_CASE("who stood in line enqueues anew in the next session") {
    expired_user f;
    SECTION("before its ticket was made") {
        f.connect();
        f.take(1);
        f.told_limit(3);
        f.tried(1, 0, 3);
    }
    SECTION("first") { f.is_first(1); }
    SECTION("while it took leases") { f.is_taking(); }
    SECTION("after it took leases, with an unknown outcome") {
        f.is_taking();
        f.cut();
    }
    f.expire();
    CHECK(f.events().empty());
    f.come_back();
    CHECK(f.open() == texts{enqueues, "watch /s/limit"}); // nothing is left to look for
    f.reply(enqueues, replies::placed(place(9), 350, 0, semaphore_incarnation));
    f.told_limit(3, 0, true);
    CHECK(f.open() == texts{"list /s/leases"});
}

TEST_CASE("who gave up before its session expired does not come again") {
    expired_user f;
    SECTION("while it tried") {
        f.connect();
        f.take(1);
        f.told_limit(3);
        f.cancel(1);
    }
    SECTION("while it took leases") {
        f.is_taking();
        f.cancel(1);
    }
    CHECK(f.events() == texts{"failed 1 cancelled"});
    f.expire();
    f.come_back();
    CHECK(f.open().empty());
    CHECK(f.events().empty());
}

TEST_CASE("the next session may meet another semaphore on the path") {
    expired_user f;
    f.is_first(1);
    f.expire();
    f.come_back();
    f.reply(enqueues, replies::placed(place(0), 350, 0, semaphore_incarnation + 1));
    f.reply("watch /s/limit",
            {.stat = {.czxid = semaphore_incarnation + 1}, .data = limit_text(3)});
    // Its name bore the old number.
    CHECK(f.open() == texts{"delete " + place(0), "enqueue /s/queue/turn-8-lock-"});
}
