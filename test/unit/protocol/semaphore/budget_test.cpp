// What a semaphore takes of the bytes that a session may have at the server.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

// A lock is held elsewhere. One lease and one ticket have room yet, but only in the last eighth.
struct nearly_full : user_of_leases {
    static settings options() {
        auto result = defaults();
        result.ticket_bytes = 400;
        return result;
    }

    nearly_full() : user_of_leases(options()) {
        const auto elsewhere = '/' + std::string(212, 'l');
        connect();
        acquire(9, elsewhere);
        reply("get " + elsewhere, replies::folder(5));
        const auto prefix = elsewhere + "/turn-5-lock-";
        reply("enqueue " + prefix, replies::placed(prefix + digits(0), 100, 0));
        REQUIRE(events() == texts{"granted 9 token 100"});
        take(1);
        told_limit(3);
    }
};

} // namespace

TEST_CASE("the last bytes of a session are for leases that turn out free") {
    nearly_full f;
    SECTION("free") {
        f.tried(1, 0, 0);
        CHECK(f.events() == texts{"granted 1 token 200"});
    }
    SECTION("taken") {
        f.tried(1, 0, 3);
        CHECK(f.events() == texts{"failed 1 session_full"});
        f.reply("delete " + in_leases(lease_text(true, 1, 0)), replies::ok());
        CHECK(f.open().empty());
        f.take(2); // finds out whether some are free by now
        f.tried(2, 0, 2, 4);
        CHECK(f.events() == texts{"granted 2 token 200"});
    }
}
