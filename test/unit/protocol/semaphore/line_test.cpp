// In the line of a semaphore: whoever is first waits for leases, and counts them.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("whoever is first waits until enough leases are free, and takes them with its ticket") {
    user_of_leases f;
    f.is_first();
    SECTION("they are") {
        f.listed({others_lease(false, 0)}, 4);
        f.taken(2, 4, 4, 2);
        CHECK(f.events() == texts{"granted 1 token 300"});
        CHECK(f.open().empty());
    }
    SECTION("leases tried before its first look count, later ones do not") {
        f.listed({others_lease(false, 0), others_lease(true, 3)}, 4);
        CHECK(f.open().empty());
        f.leases_change();
        f.reply(f.first_try_text(2, 4, 2), replies::code(zookeeper_code::throttled));
        f.listed({others_lease(false, 0), others_lease(true, 4)}, 5);
        f.taken(3, 4, 5, 2);
        CHECK(f.events() == texts{"granted 1 token 300"});
    }
    SECTION("what another program made among the leases does not count") {
        f.listed({others_lease(false, 0), "orders"}, 4);
        CHECK(f.open() == texts{f.take_text(2, 4, 2)});
    }
    SECTION("a raised limit lets it in") {
        f.listed({others_lease(false, 0), others_lease(false, 1)}, 4);
        f.changed("/s/limit");
        f.told_limit(4, 1, true);
        f.listed({others_lease(false, 0), others_lease(false, 1)}, 4);
        f.taken(2, 4, 4, 2, 1);
        CHECK(f.events() == texts{"granted 1 token 300"});
    }
    SECTION("a limit below its wish ends it") {
        f.listed({others_lease(false, 0), others_lease(false, 1)}, 4);
        f.changed("/s/limit");
        f.told_limit(1, 1, true);
        f.told_limit_for_sure(1, 1, true);
        CHECK(f.events() == texts{"failed 1 too_many"});
        CHECK(f.open() == texts{"list /s/leases", "delete " + place(4)});
    }
    SECTION("another limit in the meantime: it is read again, and the leases, too") {
        f.listed({}, 4);
        f.reply(f.take_text(2, 4, 2), {.code = zookeeper_code::bad_version,
                                       .results = {{.code = zookeeper_code::bad_version}}});
        f.told_limit(2, 1, true);
        CHECK(f.open() == texts{"list /s/leases"});
    }
    SECTION("its ticket was deleted: it stands in line anew") {
        f.listed({}, 4);
        f.reply(f.take_text(2, 4, 2), {.code = zookeeper_code::no_node,
                                       .results = {{}, {.code = zookeeper_code::no_node}}});
        CHECK(f.open() == texts{"enqueue /s/queue/turn-7-lock-"});
    }
    SECTION("cancelled") {
        f.cancel(1);
        CHECK(f.events() == texts{"failed 1 cancelled"});
        CHECK(f.open() == texts{"list /s/leases", "delete " + place(4)});
    }
}

TEST_CASE("the number of the next lease is right where the server's count is negative") {
    const std::uint32_t made = (1U << 30) + 7;
    node_stat seen;
    seen.children = 2;
    seen.child_version = static_cast<std::int32_t>(2 * made - 2);
    REQUIRE(seen.child_version < 0);
    CHECK(seen.next_sequence() == static_cast<std::int32_t>(made));
}

TEST_CASE("a limit that sank while leases were taken refuses who could not take them") {
    user_of_leases f;
    f.is_first();
    f.changed("/s/limit");
    f.listed({}, 4);
    f.told_limit(1, 1, true);
    f.reply(f.take_text(2, 4, 2), replies::code(zookeeper_code::throttled));
    CHECK(f.events().empty());
    f.pass(2s);
    while (!f.open().empty() && f.told.events.empty()) {
        const auto next = f.open().front();
        if (next == "list /s/leases")
            f.listed({}, 4);
        else if (next == "watch /s/limit")
            f.told_limit(1, 1, true);
        else // a beat, the ticket's own watch, and the proof that the limit is not old
            f.reply(next, replies::node(250, our_session));
    }
    CHECK(f.events() == texts{"failed 1 too_many"});
    CHECK(f.open() == texts{"delete " + place(4)});
}
