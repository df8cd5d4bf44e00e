// SPDX-License-Identifier: BSL-1.0
// What a session may not do is told by a code of its own, and leaves no ticket behind.
#include "integration/support/access_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"

#include "support/frame_proxy.hpp"

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
    CHECK(end_of(f, waiting) == error_code{});
    release_now(f, waiting.lock());
    CHECK(children_as(owner, path).empty());
}

namespace {

/// The release is denied, the right comes back, and the session does nothing any more.
template <class Lock, class... More>
void right_comes_back(const std::string& below, More... more) {
    fixture f;
    const auto path = path_for_anyone(every_right);
    session s{f.context, options_as(bob)};
    Lock lock{s, path, more...};
    auto held = acquire_now(f, lock);
    probe own;
    lock.acquire(own.make());
    session next{f.context, options_as(alice)};
    Lock theirs{next, path, more...};
    probe waiting;
    theirs.acquire(waiting.make());
    settle(f, s);
    settle(f, next);
    auto owner = client_as(alice);
    const auto give = [&](int rights) {
        REQUIRE(owner.set_acl(path + below, {right_of(alice, every_right), anyones(rights)}) == 0);
    };
    give(every_right & ~can_delete);
    CHECK(result_of(f, [&](auto t) { held.release(std::move(t)); }) == error::release_denied);
    f.context.restart();
    f.context.run_for(std::chrono::seconds{1}); // two tries are denied meanwhile
    CHECK_FALSE(waiting.done());
    give(every_right);
    const auto given = std::chrono::steady_clock::now();
    f.run_until([&] {
        for (auto* const each : {&own, &waiting})
            each->lock() = {};
        return own.done() && waiting.done();
    });
    INFO("the line went on after "
         << std::chrono::duration<double>(std::chrono::steady_clock::now() - given).count()
         << " s");
    CHECK(own.code() == error_code{});
    CHECK(waiting.code() == error_code{});
    f.run_until([&] { return children_as(owner, path + below).empty(); });
}

} // namespace

TEST_CASE("where the right to delete comes back the line goes on by itself") {
    SECTION("of a mutex") { right_comes_back<mutex>(""); }
    SECTION("of a shared mutex") { right_comes_back<shared_mutex>(""); }
    SECTION("of a lock of one node") { right_comes_back<single_node_mutex>(""); }
    SECTION("of a semaphore") { right_comes_back<semaphore>("/leases", 1U); }
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

TEST_CASE("a server that enforces SASL is told as refused authentication, and left alone") {
    zookeeper_server strict{
        {.system_properties = {
             "zookeeper.sessionRequireClientSASLAuth=true",
             "zookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
         }}};
    frame_proxy proxy{strict.port()};
    log_record told;
    fixture f;
    auto options = options_for(proxy.address());
    options.identities = {{"digest", alice}};
    options.shortest_backoff = std::chrono::milliseconds{5};
    options.longest_backoff = std::chrono::milliseconds{20};
    options.log.sink = told.sink();
    session s{f.context, options};
    mutex lock{s, "/locks/sasl"};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::auth_failed);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::auth_failed);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == condition::denied);
    CHECK(s.state() == session_state::idle);
    CHECK(told.mentions("enforces an authentication"));
    CHECK(proxy.stats().connections == 3); // one for each who asked
}
