// SPDX-License-Identifier: BSL-1.0
// What a semaphore takes of the bytes that a session may have at the server.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct taker_of_parts : user_of_permits {
    static settings room(std::size_t bytes) {
        auto result = defaults();
        result.ticket_bytes = bytes;
        return result;
    }
    explicit taker_of_parts(std::size_t bytes) : user_of_permits(room(bytes)) {}

    void take_later_part(ticket_id id) {
        acquire_request what;
        what.path = "/s";
        what.permits = 1;
        what.later_part = true;
        machine.acquire(now, id, what);
    }
    /// All permits of the first try are taken: it is deleted.
    void tried_in_vain() {
        tried(1, 0, 3);
        reply("delete " + own_permit, replies::ok());
    }
};

// A lock is held elsewhere. One permit and one ticket have room yet, but only in the last eighth.
struct nearly_full : taker_of_parts {
    nearly_full() : taker_of_parts(400) {
        const auto elsewhere = '/' + std::string(212, 'l');
        connect();
        acquire(9, elsewhere);
        reply("get " + elsewhere, replies::folder(5));
        const auto prefix = elsewhere + "/turn-5-lock-";
        reply("enqueue " + prefix, replies::placed(prefix + digits(0), 100, 0));
        REQUIRE(events() == texts{"granted 9 token 100"});
    }
};

} // namespace

TEST_CASE("the last bytes of a session are for permits that turn out free") {
    nearly_full f;
    f.take(1);
    f.told_limit(3);
    SECTION("free") {
        f.tried(1, 0, 0);
        CHECK(f.events() == texts{"granted 1 token 200"});
    }
    SECTION("taken") {
        f.tried(1, 0, 3);
        CHECK(f.events() == texts{"failed 1 session_full"});
        f.reply("delete " + in_permits(permit_text(true, 1, 0)), replies::ok());
        CHECK(f.open().empty());
        f.take(2); // finds out whether some are free by now
        f.tried(2, 0, 2, 4);
        CHECK(f.events() == texts{"granted 2 token 200"});
    }
}

TEST_CASE("an acquire that holds other parts stands in line with what is reserved, and waits for "
          "no room") {
    SECTION("the only one of its session") {
        nearly_full f;
        f.take_later_part(1);
        f.told_limit(3);
        f.tried_in_vain();
        CHECK(f.open() == texts{enqueues, "watch /s/limit"});
        CHECK(f.events().empty());
        f.take_later_part(2);
        CHECK(f.events() == texts{"failed 2 session_full"});
    }
    SECTION("behind others") {
        taker_of_parts f(290);
        f.connect();
        f.take(1);
        f.told_limit(3);
        f.tried_in_vain();
        REQUIRE(f.open() == texts{enqueues, "watch /s/limit"});
        f.take_later_part(2);
        CHECK(f.open() == texts{enqueues, "watch /s/limit", enqueues});
        CHECK(f.events().empty());
    }
}
