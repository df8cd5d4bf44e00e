// SPDX-License-Identifier: BSL-1.0
// Refusals of a session that works: too many tickets, nested paths, denied access.
#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"

#include <deque>
#include <string>

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a session that has all the tickets a server can bear refuses more paths") {
    fixture f;
    std::string chroot(GENERATE(0U, 1000U), 't');
    if (!chroot.empty()) {
        chroot.front() = '/';
        foreign_client{shared_server().address()}.create(chroot);
    }
    auto options = options_for(shared_server().address() + chroot);
    options.ticket_bytes = 4096;
    session s{f.context, options};
    std::deque<mutex> locks;
    std::deque<held_lock> held;
    error_code code;
    while (!code) {
        REQUIRE(locks.size() < 1000);
        locks.emplace_back(s, fresh_path("full"));
        probe one;
        locks.back().acquire(one.make());
        f.run_until([&] { return one.done(); });
        code = one.code();
        if (one.lock())
            held.push_back(std::move(one.lock()));
    }
    CHECK(code == error::session_full);
    CHECK(held.size() > (chroot.empty() ? 10 : 1));
    CHECK(held.size() * (chroot + locks.back().path()).size() < options.ticket_bytes);
    CHECK(children_of(chroot + locks.back().path()).empty());
    release_now(f, held.front());
    auto again = acquire_now(f, locks.back());
    CHECK(again.is_held());
}

TEST_CASE("a lock path below or above another one is refused") {
    fixture f;
    const auto path = fresh_path("nested");
    session s{f.context, options_for()};
    mutex lock{s, path};
    mutex below{s, path + "/below"};
    mutex deeper{s, path + "/deep/er"};
    mutex above{s, "/locks"};
    mutex beside{s, path + "-beside"};
    auto held = acquire_now(f, lock);
    for (const auto one : {&below, &deeper, &above}) {
        INFO(one->path());
        CHECK(result_of(f, [&](auto t) { one->acquire(std::move(t)); }) == error::nested_path);
        CHECK(result_of(f, [&](auto t) { one->try_acquire(std::move(t)); }) == error::nested_path);
    }
    CHECK(children_of(path).size() == 1);
    auto other = acquire_now(f, beside);
    release_now(f, held);
}

TEST_CASE("a path where nothing may be created is told") {
    fixture f;
    foreign_client owner{foreign_client::options{
        .address = shared_server().address(), .digest = "owner:secret", .owner_only = true}};
    const auto path = "/denied" + fresh_path("x").substr(7);
    REQUIRE(owner.create(path) == 0);
    session s{f.context, options_for()};
    mutex lock{s, path};
    mutex below{s, path + "/lock"};
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == condition::denied);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == condition::denied);
    session t{f.context, options_for()};
    mutex of_t{t, path + "/lock"};
    CHECK(result_of(f, [&](auto token) { of_t.acquire(std::move(token)); }) == condition::denied);
    auto options = options_for();
    options.identities = {{"digest", "owner:secret"}};
    session allowed{f.context, options};
    mutex good{allowed, path};
    auto held = acquire_now(f, good);
    release_now(f, held);
    std::vector<std::string> names;
    CHECK(owner.children(path, &names) == 0);
    CHECK(names.empty());
}

TEST_CASE("an identity of an unknown scheme is told") {
    fixture f;
    auto options = options_for();
    options.identities = {{"nosuchscheme", "x"}};
    options.log.level = log_level::none;
    session s{f.context, options};
    mutex lock{s, fresh_path("scheme")};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::auth_failed);
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::auth_failed);
}
