// SPDX-License-Identifier: BSL-1.0
// The session's end at the server, forced by a second connection with the same id and password.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"

#include "support/frame_proxy.hpp"

namespace {

struct expiry_rig {
    session_book seen;
    frame_proxy proxy{"127.0.0.1", shared_server().port(), &seen};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    session other{f.context, impatient(shared_server().address())};

    void end_session() { expire(seen, shared_server().address(), s); }
};

} // namespace

TEST_CASE("a holder learns that its session expired, and the release says that the lock is lost") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    contender holder{r.s, path};
    acquire_now(r.f, holder);
    const auto id = r.s.id();
    const auto token = holder.token;
    r.end_session();
    CHECK(r.eyes.count(path) == 0);
    r.f.run_until([&] { return holder.loss.has_value(); });
    CHECK(*holder.loss == error::session_expired);
    CHECK(*holder.loss == condition::lock_lost);
    CHECK_FALSE(holder.lock.is_held());
    r.f.run_until([&] { return r.s.state() == session_state::connected; });
    CHECK(r.s.id() != id);
    CHECK(release_now(r.f, holder) == condition::lock_lost);
    CHECK(*holder.release_result == error::session_expired);
    holder.acquire();
    r.f.run_until([&] { return holder.completed == 3; });
    REQUIRE(holder.holds());
    CHECK(holder.token > token);
    CHECK(tickets_of(path, r.s.id()) == 1);
}

TEST_CASE("a waiter whose session expired lines up again, behind those that stand there") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    journal book;
    contender holder{r.other, path, &book};
    contender waiter{r.s, path, &book};
    contender last{r.other, path, &book};
    acquire_now(r.f, holder);
    waiter.acquire();
    await_children(r.f, r.eyes, path, 2);
    last.acquire();
    await_children(r.f, r.eyes, path, 3);
    const auto id = r.s.id();
    r.end_session();
    r.f.run_until([&] { return r.s.id() != id && r.s.state() == session_state::connected; });
    await_children(r.f, r.eyes, path, 3);
    CHECK(tickets_of(path, r.s.id()) == 1);
    CHECK_FALSE(waiter.holds());
    last.release_when_granted = true;
    holder.release();
    r.f.run_until([&] { return waiter.holds(); });
    CHECK(book.in_order({&holder, &last, &waiter}));
    CHECK(book.violations() == journal::no_violations);
    CHECK(waiter.completed == 1);
}

TEST_CASE("expiries in a row, in the middle of everything, lose no acquire") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    crowd users{{&r.s, &r.other}, path, 20};
    users.line_up();
    for (std::size_t i = 0; i < 5; ++i) {
        const auto id = r.s.id();
        r.f.run_until([&] { return r.s.id() != 0 && r.s.state() == session_state::connected; });
        users.book.excuse_holders();
        r.end_session();
        r.f.run_until([&] { return r.s.id() != id && r.s.state() == session_state::connected; });
    }
    users.release_when_granted();
    r.f.run_until([&] { return users.all_done(); });
    CHECK(users.failures() == 0);
    CHECK(users.served() == 20); // a lost lock was granted, too
    CHECK(users.book.violations() == journal::no_violations);
    await_children(r.f, r.eyes, path, 0);
}

TEST_CASE("releases, cancels and acquires made while the server is down take place after it") {
    zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    fixture f;
    session one{f.context, long_session(server.address())};
    session two{f.context, long_session(server.address())};
    onlooker eyes{server.address()};
    contender holder{one, "/locks/orders"};
    contender leaver{two, "/locks/orders"};
    contender next{one, "/locks/orders"};
    contender late{two, "/locks/orders"};
    acquire_now(f, holder);
    leaver.acquire();
    await_children(f, eyes, "/locks/orders", 2);
    next.acquire();
    await_children(f, eyes, "/locks/orders", 3);
    server.kill();
    f.run_until([&] {
        return one.state() == session_state::suspended && two.state() == session_state::suspended;
    });
    holder.release();
    leaver.cancel();
    late.acquire();
    f.run_until([&] { return leaver.completed == 1; });
    CHECK(leaver.failure == boost::asio::error::operation_aborted);
    server.start();
    f.run_until([&] { return next.holds() && holder.release_result; });
    CHECK(*holder.release_result == error_code{});
    await_children(f, eyes, "/locks/orders", 2);
    CHECK_FALSE(late.holds());
    next.release();
    f.run_until([&] { return late.holds(); });
    CHECK(late.token > next.token);
}

TEST_CASE("a server that stays away costs the lock at its deadline, and waiters at their limit") {
    zookeeper_server server;
    fixture f;
    auto options = impatient(server.address());
    options.timeout = 1500ms;
    options.unreachable_limit = 2500ms;
    session s{f.context, options};
    contender holder{s, "/locks/orders"};
    contender waiter{s, "/locks/orders"};
    holder.acquire();
    waiter.acquire();
    f.run_until([&] { return holder.holds(); });
    settle(f, s);
    server.kill();
    const auto killed = lease_clock::now();
    f.run_until([&] { return holder.loss.has_value(); });
    CHECK(*holder.loss == error::lease_lost);
    CHECK(holder.lost_at - killed < 1500ms);
    CHECK_FALSE(waiter.holds());
    f.run_until([&] { return waiter.completed == 1; });
    CHECK(waiter.failure == error::unreachable);
    CHECK(lease_clock::now() - killed >= 2400ms);
    contender late{s, "/locks/orders"};
    late.acquire();
    server.start();
    f.run_until([&] { return late.completed == 1; });
    CHECK(late.holds());
    onlooker eyes{server.address()};
    CHECK(eyes.count("/locks/orders") == 1);
}

TEST_CASE("servers that were made anew are told of, for their tokens begin anew") {
    std::optional<zookeeper_server> server{std::in_place};
    log_record log;
    fixture f;
    auto options = options_for(server->address());
    options.log.sink = log.sink();
    session s{f.context, options};
    mutex lock{s, "/locks/orders"};
    std::optional<fencing_token> last;
    for (int i = 0; i < 20; ++i) {
        auto held = acquire_now(f, lock);
        last = held.fencing_token();
        release_now(f, held);
    }
    const auto port = server->port();
    server.reset(); // and its data with it
    server.emplace(zookeeper_server_options{.port = port});
    constexpr std::string_view words = "the servers were made anew or restored";
    CHECK_FALSE(log.mentions(words));
    for (int i = 0; i < 2; ++i) {
        auto held = acquire_now(f, lock);
        CHECK(held.fencing_token() < *last);
        release_now(f, held);
    }
    CHECK(std::ranges::count_if(log.lines, [&](const auto& line) {
              return line.first == log_level::error && line.second.find(words) != std::string::npos;
          }) == 1);
}
