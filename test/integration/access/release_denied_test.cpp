// SPDX-License-Identifier: BSL-1.0
// DELETE is checked on the parent: a directory may let us in and not out.
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a release that the server denies is told, and the lock is free when the session ends") {
    const auto path = fresh_path("denied");
    foreign_client keeper{
        foreign_client::options{.address = shared_server().address(), .keeps_children = true}};
    foreign_client other{shared_server().address()};
    REQUIRE(other.create("/locks") % 110 == 0); // made, or there already
    REQUIRE(keeper.create(path) == 0);
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    session t{f.context, impatient(shared_server().address())};
    contender first{s, path};
    contender second{t, path};
    first.acquire();
    f.run_until([&] { return first.holds(); });
    second.acquire();
    await_children(f, eyes, path, 2);
    first.release();
    f.run_until([&] { return first.release_result.has_value(); });
    CHECK(*first.release_result == error::release_denied);
    CHECK(eyes.count(path) == 2);
    settle(f, t);
    CHECK_FALSE(second.holds());
    std::optional<error_code> closed;
    s.close([&](const error_code& code) { closed = code; });
    f.run_until([&] { return closed && second.holds(); });
    CHECK(*closed == error_code{});
    CHECK(second.token > first.token);
    CHECK(eyes.count(path) == 1);
}
