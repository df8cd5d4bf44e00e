// SPDX-License-Identifier: BSL-1.0
// A server that is killed and comes back, with a line standing there.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

TEST_CASE("a server killed and restarted with waiters in line: sessions live, all are served") {
    zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    fixture f;
    session one{f.context, long_session(server.address())};
    session two{f.context, long_session(server.address())};
    session three{f.context, long_session(server.address())};
    connect(f, one);
    connect(f, two);
    connect(f, three);
    const std::array ids{one.id(), two.id(), three.id()};
    crowd users{{&one, &two, &three}, "/locks/orders", 60};
    users.line_up();
    f.run_until([&] { return users.served() == 1; });
    onlooker eyes{server.address()};
    await_children(f, eyes, "/locks/orders", 60);
    server.kill();
    f.run_until([&] {
        return one.state() == session_state::suspended && two.state() == session_state::suspended &&
               three.state() == session_state::suspended;
    });
    server.start();
    f.run_until([&] {
        return one.state() == session_state::connected && two.state() == session_state::connected &&
               three.state() == session_state::connected;
    });
    CHECK(ids == std::array{one.id(), two.id(), three.id()});
    const auto holder = users.book.grants.front().who;
    CHECK(holder->lock.is_held());
    CHECK_FALSE(holder->loss);
    CHECK(eyes.count("/locks/orders") == 60);
    users.release_when_granted();
    f.run_until([&] { return users.all_done(); });
    CHECK(users.served() == 60);
    CHECK(users.failures() == 0);
    CHECK(users.book.violations() == journal::no_violations);
    await_children(f, eyes, "/locks/orders", 0);
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
    holder.acquire();
    f.run_until([&] { return holder.holds(); });
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
