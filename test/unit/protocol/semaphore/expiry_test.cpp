// SPDX-License-Identifier: BSL-1.0
// The session expires: what was held is lost, and acquires begin anew in the next.
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct expired_user : user_of_permits {
    void expire() { cut(disconnect_reason::expired); }
    /// The next session, and the answer to its first beat.
    void come_back() {
        pass(3s);
        accept(other_session);
        reply(open().front(), replies::ok());
    }
};

} // namespace

TEST_CASE("with its session a permit is lost, by each of its handles") {
    expired_user f;
    f.holds();
    f.share(1, 2);
    f.expire();
    CHECK(f.events() == texts{"lost 1 session_expired", "lost 2 session_expired"});
    f.release(1);
    CHECK(f.events() == texts{"released 1 lease_lost"});
    f.come_back();
    CHECK(f.open().empty());
}

TEST_CASE("a permit whose loss was told goes with its session without a word") {
    expired_user f;
    f.is_lost();
    REQUIRE(f.events() == texts{"lost 1 lease_lost"});
    f.expire();
    f.release(1);
    CHECK(f.events() == texts{"released 1 lease_lost"});
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
