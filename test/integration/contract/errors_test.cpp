// SPDX-License-Identifier: BSL-1.0
// Errors that take a server, or its absence, each with its own code.
#include "integration/support/cancel_support.hpp"

#include "support/foreign_client.hpp"
#include "support/free_port.hpp"

namespace {

session_options soon_unreachable(const std::string& servers) {
    auto options = options_for(servers);
    options.connect_timeout = 300ms;
    options.unreachable_limit = 300ms;
    options.log.level = log_level::none; // failures are expected
    return options;
}

std::string nobody() { return "127.0.0.1:" + std::to_string(free_port()); }

} // namespace

TEST_CASE("an acquire waits for a server no longer than the limit") {
    fixture f;
    auto options = soon_unreachable(nobody());
    options.connect_timeout = 1h;
    session s{f.context, options};
    mutex lock{s, "/locks/unreached"};
    probe patient;
    lock.acquire(patient.make());
    const error_code unreachable = error::unreachable;
    CHECK(result_of(f, [&](auto t) { lock.acquire_for(50ms, std::move(t)); }) == unreachable);
    multi_lock both{lock};
    CHECK(result_of(f, [&](auto t) { both.acquire_for(50ms, std::move(t)); }) == unreachable);
    std::optional<error_code> asked;
    lock.list_participants_for(50ms, 1, [&](error_code code, const auto&) { asked = code; });
    f.run_until([&] { return asked.has_value(); });
    CHECK(*asked == unreachable);
    CHECK(end_of(f, patient) == error::unreachable);
    CHECK(result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == error::unreachable);
}

TEST_CASE("a chroot that does not exist is told") {
    fixture f;
    session s{f.context, options_for(shared_server().address() + "/no/such/root")};
    mutex lock{s, "/locks/a"};
    CHECK(result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::no_chroot);
    mutex flat{s, "/a"};
    CHECK(result_of(f, [&](auto t) { flat.acquire(std::move(t)); }) == error::no_chroot);
    CHECK(children_of("/no").empty());
}

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
    mutex above{s, "/locks"};
    auto held = acquire_now(f, lock);
    for (const auto one : {&below, &above})
        CHECK(result_of(f, [&](auto t) { one->acquire(std::move(t)); }) == error::nested_path);
    CHECK(children_of(path).size() == 1);
}
