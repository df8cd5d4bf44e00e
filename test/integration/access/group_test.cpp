// SPDX-License-Identifier: BSL-1.0
// One identity per group: those who have it share the lock, others are told and leave nothing.
#include "integration/support/access_support.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("two sessions with one identity contend, each in its turn") {
    fixture f;
    const auto path = fresh_root() + "/lock";
    const auto options = options_as(alice, acl::creator_all());
    session s{f.context, options};
    session t{f.context, options};
    mutex first{s, path};
    mutex second{t, path};
    auto eyes = client_as(alice);
    fencing_token last;
    for (int round = 0; round < 5; ++round) {
        auto held = acquire_now(f, first);
        CHECK(held.fencing_token() > last);
        probe waiting;
        second.acquire(waiting.make());
        f.run_until([&] { return children_as(eyes, path).size() == 2; });
        CHECK_FALSE(waiting.done());
        release_now(f, held);
        f.run_until([&] { return waiting.done(); });
        REQUIRE(waiting.code() == error_code{});
        last = waiting.lock().fencing_token();
        release_now(f, waiting.lock());
    }
    CHECK(children_as(eyes, path).empty());
}

TEST_CASE("a session without the group's identity is denied and leaves nothing") {
    fixture f;
    const auto path = fresh_root() + "/lock";
    session s{f.context, options_as(alice, acl::creator_all())};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    auto eyes = client_as(alice);
    const auto alone = children_as(eyes, path);
    const auto stranger =
        GENERATE(as<std::string>{}, "", "bob:builder-3141", "alice:wrong", "turnstile:turnstile");
    INFO(stranger);
    const auto denied = outcome_as(f, options_as(stranger), path);
    CHECK(denied == condition::denied);
    CHECK(denied == error::read_denied);
    CHECK(outcome_as(f, options_as(stranger), path + "-beside") == error::create_denied);
    CHECK(outcome_as(f, options_as(stranger), path + "/below") == error::create_denied);
    CHECK(children_as(eyes, path) == alone);
    CHECK(held.is_held());
    release_now(f, held);
    CHECK(children_as(eyes, path).empty());
}

TEST_CASE("an identity after the first counts as well, for directories that others made") {
    fixture f;
    const auto path = fresh_root();
    session maker{f.context, options_as(alice, acl::creator_all())};
    mutex made{maker, path};
    auto held = acquire_now(f, made);
    release_now(f, held);
    auto options = options_as(bob, acl::creator_all());
    options.identities.push_back({"digest", alice});
    CHECK(outcome_as(f, options, path) == error_code{});
}

TEST_CASE("a container that was reaped is made again with the same ACL") {
    fixture f;
    const auto path = fresh_root() + "/lock";
    session s{f.context, options_as(alice, acl::creator_all())};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    release_now(f, held);
    auto eyes = client_as(alice);
    REQUIRE(eyes.remove(path) == 0);
    held = acquire_now(f, lock);
    CHECK(rights_of(eyes, path) == std::vector{right_of(alice, every_right)});
    release_now(f, held);
}
