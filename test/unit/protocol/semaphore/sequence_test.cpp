// SPDX-License-Identifier: BSL-1.0
// The numbers of permits and tickets, near the end of the server's counters.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include "protocol/names/ticket_name.hpp"

#include <limits>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string makes_anew = "transact /sdelete /s/limit@0; delete /s/queue; delete /s/leases; "
                               "create /s/limit; create /s/queue; create /s/leases";

} // namespace

TEST_CASE("a permit whose number is near the end of the counter is refused") {
    user_of_permits f;
    SECTION("tried") {
        f.connect();
        f.take(1);
        f.told_limit(3);
        f.tried(1, 0, 0, sequence_limit);
        CHECK(f.open() == texts{"delete " + in_permits(permit_text(true, 1, sequence_limit))});
    }
    SECTION("taken in line") {
        f.is_first(1);
        f.listed({}, 4);
        f.taken(2, 4, sequence_limit);
        CHECK(f.open() == texts{"delete " + in_permits(permit_text(false, 2, sequence_limit))});
    }
    SECTION("past its end") {
        f.connect();
        f.take(1);
        f.told_limit(3);
        const auto past = std::numeric_limits<std::int32_t>::min();
        f.tried(1, 0, 0, past);
        CHECK(f.open() == texts{"delete " + in_permits(permit_text(true, 1, past))});
    }
    CHECK(f.events() == texts{"failed 1 sequence_exhausted"});
    f.reply(f.open().front(), replies::ok());
    CHECK(f.open() == texts{makes_anew});
}

TEST_CASE("a semaphore with high numbers is made anew once no acquire of the session is there") {
    user_of_permits f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 0, 0, sequence_high);
    REQUIRE(f.events() == texts{"granted 1 token 200"});
    f.release(1);
    f.reply("delete " + in_permits(permit_text(true, 1, sequence_high)), replies::ok());
    REQUIRE(f.open() == texts{makes_anew});
    f.take(2); // waits for the answer
    CHECK(f.open() == texts{makes_anew});
    SECTION("made") {
        f.reply(makes_anew, replies::ok());
        CHECK(f.open() == texts{"get /s/limit"});
    }
    SECTION("others are there") {
        f.reply(makes_anew, replies::code(zookeeper_code::not_empty));
        CHECK(f.open() == texts{f.try_text(2)}); // the limit is as it was
    }
}

TEST_CASE("where the counter of the permits sticks at its end, the numbers start again") {
    user_of_permits f;
    SECTION("tried") {
        f.connect();
        f.take(1, 2);
        f.told_limit(3);
        f.reply(f.try_text(1, 2), replies::node_exists());
        CHECK(f.open() == texts{makes_anew});
    }
    SECTION("taken in line") {
        f.is_first();
        f.listed({}, 4);
        f.reply(f.take_text(2, 4, 2), replies::node_exists());
        CHECK(f.open() == texts{"delete " + place(4), makes_anew});
    }
    CHECK(f.events() == texts{"failed 1 sequence_exhausted"});
}

TEST_CASE("a line with high numbers is made anew with its semaphore") {
    user_of_permits f;
    f.connect();
    f.take(1);
    f.told_limit(3);
    f.tried(1, 1, 0);
    f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
    f.reply("enqueue /s/queue/turn-7-lock-",
            replies::placed(place(sequence_limit), 250, 1, semaphore_incarnation));
    CHECK(f.events() == texts{"failed 1 sequence_exhausted"});
    f.told_limit(3, 0, true);
    CHECK(f.open() == texts{"delete " + place(sequence_limit), makes_anew});
}

TEST_CASE("a limit of no permits is refused before anything is asked") {
    user_of_permits f;
    f.connect();
    f.take(1, 1, true, 0);
    CHECK(f.events() == texts{"failed 1 too_many"});
    CHECK(f.open().empty());
}
