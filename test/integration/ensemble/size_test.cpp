// SPDX-License-Identifier: BSL-1.0
// Ten thousand waiters.
#include "integration/support/fault_rig.hpp"
#include "support/four_letter_word.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t many = 10'000;

} // namespace

TEST_CASE("10000 waiters of one session are destroyed with it completely") {
    zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    fixture f;
    auto options = long_session(server.address());
    options.ticket_bytes = 1024 * 1024;
    auto s = std::make_unique<session>(f.context, options);
    crowd users{{s.get()}, "/q/many", many};
    users.line_up();
    onlooker eyes{server.address()};
    await_children(f, eyes, "/q/many", many, 60s);
    // The first look goes out behind all the enqueues, so the line can be complete before anyone
    // holds.
    f.run_until([&] { return users.served() == 1; }, 60s);
    s.reset();
    f.run_until([&] { return users.all_done() && users.all[0]->loss; });
    CHECK(*users.all[0]->loss == error::session_closed);
    CHECK(users.failures() == many - 1);
    for (std::size_t i = 1; i < many; ++i)
        REQUIRE(users.all[i]->failure == error::session_closed);
    await_children(f, eyes, "/q/many", 0, 30s);
    CHECK(watches_of(server.port()) == 0);
    // The budget is what keeps a server able to come back after such a session.
    server.kill();
    server.start();
    CHECK(eyes.count("/q/many") == 0);
}

TEST_CASE("10000 waiters of one session are cancelled completely") {
    zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    fixture f;
    session s{f.context, long_session(server.address())};
    onlooker eyes{server.address()};
    contender holder{s, "/q/many"};
    holder.acquire();
    f.run_until([&] { return holder.holds(); });
    {
        crowd users{{&s}, "/q/many", many};
        users.line_up();
        f.run_until([&] { return eyes.count("/q/many") > 1000; }, 60s);
        for (const auto& user : users.all)
            user->cancel();
        f.run_until([&] { return users.all_done(); }, 60s);
        CHECK(users.failures() == many);
    }
    await_children(f, eyes, "/q/many", 1, 60s);
    CHECK(holder.lock.is_held());
}

TEST_CASE("10000 waiters over 10 sessions are lined up and drained completely") {
    zookeeper_server server{{.max_session_timeout_ms = 40'000}};
    fixture f;
    std::vector<std::unique_ptr<session>> owned;
    std::vector<session*> all;
    for (int i = 0; i < 10; ++i) {
        owned.push_back(std::make_unique<session>(f.context, long_session(server.address())));
        all.push_back(owned.back().get());
        connect(f, *all.back());
    }
    // Each knows the path, so that its creates go out one by one and the sessions alternate.
    for (const auto s : all) {
        contender user{*s, "/q/many"};
        user.release_when_granted = true;
        user.acquire();
        f.run_until([&] { return user.completed == 2; });
    }
    crowd users{all, "/q/many", many};
    onlooker eyes{server.address()};
    for (std::size_t i = 0; i < many; ++i) {
        users.all[i]->acquire();
        if ((i + 1) % all.size() == 0) {
            f.context.restart();
            f.context.poll();
            eyes.count("/q/many"); // the server has read what was sent before
        }
    }
    await_children(f, eyes, "/q/many", many, 90s);
    CHECK(watches_of(server.port()) > many / 4); // so many stand behind another session's
    CHECK(users.served() == 1);
    CHECK_FALSE(users.book.grants.front().who->loss);
    users.release_when_granted(1ms);
    f.run_until([&] { return users.served() == many && !users.book.anybody_holds(); }, 200s);
    f.run_until([&] { return users.all_done(); });
    CHECK(users.failures() == 0);
    CHECK(users.book.violations() == journal::no_violations);
    await_children(f, eyes, "/q/many", 0);
    CHECK(watches_of(server.port()) == 0);
}
