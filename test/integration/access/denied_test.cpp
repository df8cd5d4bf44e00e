// SPDX-License-Identifier: BSL-1.0
// What a session may not do is told by a code of its own, and leaves no ticket behind.
#include "integration/support/access_support.hpp"
#include "integration/support/fault_rig.hpp"

using namespace turnstile;
using namespace turnstile::test;

namespace {

constexpr int can_read = 1;
constexpr int can_write = 2;
constexpr int can_create = 4;
constexpr int can_delete = 8;

} // namespace

TEST_CASE("a directory where one permission is missing is refused by that name, and stays empty") {
    struct example {
        int permissions;
        error expected;
    };
    const auto missing = GENERATE(values<example>({
        {can_read | can_write | can_delete, error::create_denied},
        {can_write | can_create | can_delete, error::read_denied},
        {can_read | can_create | can_delete, error::write_denied},
        {0, error::read_denied},
        {can_create | can_delete, error::read_denied},
    }));
    fixture f;
    const auto path = path_for_anyone(missing.permissions);
    session s{f.context, options_as(bob)};
    mutex lock{s, path};
    for (int again = 0; again < 2; ++again) {
        CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == missing.expected);
        CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == missing.expected);
    }
    auto owner = client_as(alice);
    CHECK(children_as(owner, path).empty());
    CHECK(s.state() == session_state::connected);
    // Nothing of it stays in the session, once the permissions are right.
    REQUIRE(owner.set_acl(path, {right_of(bob, every_right), right_of(alice, every_right)}) == 0);
    auto held = acquire_now(f, lock);
    release_now(f, held);
    CHECK(children_as(owner, path).empty());
}

TEST_CASE("a lock path that may not be made is refused, and its parents stay as they were") {
    fixture f;
    const auto parent = path_for_anyone(can_read | can_write | can_delete);
    CHECK(outcome_as(f, options_as(bob), parent + "/lock") == error::create_denied);
    CHECK(outcome_as(f, options_as(bob), parent + "/group/lock") == error::create_denied);
    auto owner = client_as(alice);
    CHECK(children_as(owner, parent).empty());
}

TEST_CASE("a denied release says so, and the end of the session frees the lock") {
    fixture f;
    const auto path = path_for_anyone(can_read | can_write | can_create);
    session s{f.context, options_as(bob)};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    diagnostics told;
    CHECK(result_of(f, [&](auto t) { held.release(with_diagnostics(told, std::move(t))); }) ==
          error::release_denied);
    CHECK(told.path == path);
    CHECK_FALSE(told.server.empty());
    CHECK(told.cause.empty()); // the server answers
    auto owner = client_as(alice);
    CHECK(children_as(owner, path).size() == 1);
    session next{f.context, options_as(alice)};
    mutex theirs{next, path};
    probe waiting;
    theirs.acquire(waiting.make());
    f.run_until([&] { return children_as(owner, path).size() == 2; });
    CHECK_FALSE(waiting.done());
    REQUIRE(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    f.run_until([&] { return waiting.done(); });
    CHECK(waiting.code() == error_code{});
    release_now(f, waiting.lock());
    CHECK(children_as(owner, path).empty());
}

TEST_CASE("behind a ticket of its own that it may not delete, a session does not wait for ever") {
    fixture f;
    const auto path = path_for_anyone(can_read | can_write | can_create);
    session s{f.context, options_as(bob)};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    CHECK(result_of(f, [&](auto t) { held.release(std::move(t)); }) == error::release_denied);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::release_denied);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == error::release_denied);
    auto owner = client_as(alice);
    CHECK(children_as(owner, path).size() == 1); // the one, and no more
    // Once it is allowed, the next acquire deletes what had to stay.
    REQUIRE(owner.set_acl(path, {right_of(bob, every_right), right_of(alice, every_right)}) == 0);
    auto again = acquire_now(f, lock);
    CHECK(children_as(owner, path).size() == 1);
    release_now(f, again);
    CHECK(children_as(owner, path).empty());
}

TEST_CASE("waiters of a session that may not delete are told when the first ticket has to stay") {
    fixture f;
    const auto path = path_for_anyone(can_read | can_write | can_create);
    session theirs{f.context, options_as(alice)};
    mutex before{theirs, path};
    auto held = acquire_now(f, before);
    session s{f.context, options_as(bob)};
    mutex lock{s, path};
    cancellable first;
    probe second;
    lock.acquire(first.token());
    lock.acquire(second.make());
    auto owner = client_as(alice);
    f.run_until([&] { return children_as(owner, path).size() == 3; });
    first.cancel(); // its deletion will be denied
    f.run_until([&] { return first.done() && second.done(); });
    CHECK(first.code() == aborted);
    CHECK(second.code() == error::release_denied);
    release_now(f, held);
    REQUIRE(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    CHECK(children_as(owner, path).empty());
}

TEST_CASE("a predecessor that may not be read ends the acquire with its own code and no ticket") {
    fixture f;
    const auto path = fresh_root();
    auto owner = client_as(alice);
    REQUIRE(owner.create(path) == 0);
    std::string theirs;
    REQUIRE(owner.create(path + "/lock-", {}, create_mode::ephemeral_sequential, &theirs) == 0);
    REQUIRE(owner.set_acl(theirs, {right_of(alice, every_right)}) == 0);
    CHECK(outcome_as(f, options_as(bob), path) == error::read_denied);
    f.run_until([&] { return children_as(owner, path).size() == 1; });
    CHECK(outcome_as(f, options_as({}), path) == error::read_denied);
}

TEST_CASE("the permission to read that is taken away while one waits does not hang the waiter") {
    fixture f;
    const auto path = fresh_root();
    session s{f.context, options_as(alice)};
    session t{f.context, options_as(bob)};
    mutex first{s, path};
    mutex second{t, path};
    auto held = acquire_now(f, first);
    probe waiting;
    second.acquire(waiting.make());
    await_watches(f, shared_server().port(), 1);
    auto owner = client_as(alice);
    // Tickets stay readable; the directory is not.
    REQUIRE(owner.set_acl(path, {right_of(alice, every_right), anyones(30)}) == 0);
    release_now(f, held);
    f.run_until([&] { return waiting.done(); });
    CHECK(waiting.code() == error_code{}); // by CHANGED: nothing was to be read
    release_now(f, waiting.lock());
    CHECK(children_as(owner, path).empty());
}
