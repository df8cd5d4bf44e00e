// SPDX-License-Identifier: BSL-1.0
// No server for too long: each acquire of permits is told, wherever it is; a holder has its
// deadline.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct stranded_user : user_of_permits {
    /// No server is there for longer than an acquire waits for one.
    void strand() {
        cut();
        for (int seconds = 0; seconds < 31; ++seconds) {
            pass(1s);
            if (wire.connects.size() > tried_to_connect) // and this one is not there either
                cut(disconnect_reason::lost);
            tried_to_connect = wire.connects.size();
        }
    }

    std::size_t tried_to_connect = 0;
};

} // namespace

TEST_CASE("an acquire of permits is told when no server is there for too long") {
    stranded_user f;
    SECTION("an acquire that waits for the limit") {
        f.connect();
        f.take(1);
    }
    SECTION("an acquire that tries") {
        f.connect();
        f.take(1);
        f.told_limit(3);
    }
    SECTION("the first in line") { f.is_first(1); }
    SECTION("an acquire that takes permits") { f.is_taking(); }
    SECTION("an acquire that has still to prove the session's lease") { f.is_confirming(); }
    f.strand();
    CHECK(f.events() == texts{"failed 1 unreachable"});
}

TEST_CASE("a holder is told the loss, and not that no server is there") {
    stranded_user f;
    f.holds();
    f.share(1, 2);
    f.take(3);
    f.strand();
    CHECK(f.events() == texts{"lost 1 lease_lost", "lost 2 lease_lost", "failed 3 unreachable"});
}

TEST_CASE("an identity that the server refuses ends every acquire of permits") {
    user_of_permits f;
    std::string told = "failed 1 auth_failed";
    SECTION("an acquire that waits for the limit") {
        f.connect();
        f.take(1);
    }
    SECTION("the first in line") { f.is_first(1); }
    SECTION("an acquire that takes permits") { f.is_taking(); }
    SECTION("an acquire that has still to prove the session's lease") { f.is_confirming(); }
    SECTION("and a release has no answer") {
        f.holds();
        f.release(1);
        told = "released 1 unreachable";
    }
    f.cut(disconnect_reason::auth_failed);
    CHECK(f.events() == texts{told});
}
