// SPDX-License-Identifier: BSL-1.0
// A trap of the C client: a send on a connection that the peer has reset closes it silently, and
// the requests in its buffers go out on the next connection. So Turnstile uses a handle of that
// client for one connection only (docs/internals/protocol/connection.md). Here a proxy cuts
// connections at bad moments, and each operation must still take place exactly once.
#include "integration/support/fault_rig.hpp"

#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <fcntl.h>
#include <unistd.h>

TEST_CASE("an acquire that meets a connection reset while idle succeeds with one ticket") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("silent");
    fixture f;
    session s{f.context, impatient(proxy.address())};
    connect(f, s);
    const auto id = s.id();
    contender user{s, path};
    for (int round = 0; round < 20; ++round) {
        proxy.cut_all();
        user.acquire(); // the loop has not seen the reset yet
        f.run_until([&] { return user.completed == user.started; });
        REQUIRE(user.holds());
        CHECK(user.lock.is_held());
        CHECK(eyes.count(path) == 1);
        CHECK(release_now(f, user) == error_code{});
        CHECK(eyes.count(path) == 0);
    }
    CHECK(s.id() == id);
}

TEST_CASE("requests that follow unanswered ones into a reset connection take place once") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("silent");
    fixture f;
    session s{f.context, impatient(proxy.address())};
    crowd users{{&s}, path, 4};
    acquire_now(f, *users.all[0]);
    // The second is created at the server, but its answer stays in the proxy.
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::multi, .path = path, .action = action::hold});
    users.all[1]->acquire();
    f.run_until([&] { return proxy.hits(rule) == 1; });
    proxy.cut_all();
    users.all[2]->acquire();
    users.all[3]->acquire();
    await_children(f, eyes, path, 4);
    CHECK(tickets_of(path, s.id()) == 4);
    serve_all(f, users, 4);
    CHECK(users.book.in_order(users.in_line()));
    CHECK(users.book.violations() == journal::no_violations);
    await_children(f, eyes, path, 0);
}

TEST_CASE("transactions around the instant of an expiry end well, and only once") {
    session_book seen;
    frame_proxy proxy{"127.0.0.1", shared_server().port(), &seen};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(proxy.address())};
    std::vector<std::unique_ptr<contender>> users;
    for (int i = 0; i < 8; ++i)
        users.push_back(std::make_unique<contender>(s, fresh_path("expired")));
    for (int round = 0; round < 10; ++round) {
        for (const auto& user : users)
            user->acquire();
        f.run_until(
            [&] { return std::ranges::all_of(users, [](const auto& c) { return c->holds(); }); });
        const auto id = s.id();
        expire(seen, shared_server().address(), s);
        // The connection is dead, and the library does not know: releases go out on it first.
        for (std::size_t i = 0; i < users.size(); i += 2)
            users[i]->release();
        f.run_until([&] { return s.id() != id && s.state() == session_state::connected; });
        for (std::size_t i = 1; i < users.size(); i += 2)
            users[i]->release();
        f.run_until([&] {
            return std::ranges::all_of(users,
                                       [](const auto& c) { return c->release_result.has_value(); });
        });
        for (std::size_t i = 0; i < users.size(); ++i) {
            const auto result = *users[i]->release_result;
            INFO("release " << i << ": " << result.message());
            if (i % 2 == 1)
                CHECK(result == condition::lock_lost);
            else // the lock was released, or went with the session
                CHECK((!result || result == condition::lock_lost));
            CHECK(users[i]->started == users[i]->completed);
            CHECK(eyes.count(users[i]->where.path()) == 0);
        }
    }
}

namespace {

// Opens descriptors with the lowest free numbers. The C client has just closed those: if it used
// such a number once more, it would now harm a file of the program.
class squatters {
public:
    void move() {
        for (auto& fd : held_) {
            if (fd >= 0)
                ::close(fd);
            fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        }
    }
    ~squatters() {
        for (const int fd : held_)
            if (fd >= 0)
                ::close(fd);
    }

private:
    std::array<int, 3> held_{-1, -1, -1};
};

} // namespace

TEST_CASE("hundreds of cuts while locks change hands: each operation completes once") {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const std::array paths{fresh_path("cuts"), fresh_path("cuts")};
    fixture f;
    auto options = impatient(proxy.address());
    options.shortest_backoff = 1ms;
    options.longest_backoff = 4ms;
    session one{f.context, options};
    session two{f.context, options};
    connect(f, one);
    connect(f, two);
    std::array<journal, 2> books;
    std::vector<std::unique_ptr<contender>> users;
    for (std::size_t i = 0; i < 12; ++i) {
        users.push_back(
            std::make_unique<contender>(i % 3 == 0 ? two : one, paths[i % 2], &books[i % 2]));
        users.back()->release_when_granted = true;
        if (i % 3 == 0) // long enough that a second holder would be seen
            users.back()->hold_for = 1ms;
    }
    squatters numbers;
    const auto acquire_again = [&] {
        for (const auto& user : users)
            if (user->started == user->completed)
                user->acquire();
    };
    int total = 0;
    for (int cut = 0; cut < 300; ++cut) {
        acquire_again();
        // Some cuts come in the middle of a handshake, some after several grants.
        const auto enough = total + cut % 7;
        f.run_until(
            [&] {
                total = 0;
                for (const auto& user : users)
                    total += user->grants;
                acquire_again();
                numbers.move();
                return total >= enough;
            },
            60s);
        proxy.cut_all();
    }
    f.run_until([&] {
        return std::ranges::all_of(users, [](const auto& c) { return c->started == c->completed; });
    });
    for (const auto& user : users)
        CHECK_FALSE(user->failed());
    for (const auto& book : books) {
        CHECK(book.grants.size() > 50);
        CHECK(book.violations() == journal::no_violations);
    }
    for (const auto& path : paths)
        await_children(f, eyes, path, 0);
}

namespace {

std::uint64_t set_watches_packets(const frame_proxy& proxy) {
    constexpr auto set_watches2 = static_cast<op>(105); // of later clients
    const auto stats = proxy.stats();
    return stats.count(direction::to_server, op::set_watches) +
           stats.count(direction::to_server, set_watches2);
}

void serve_through_reconnects(std::size_t count, std::size_t sessions, int reconnects) {
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    const auto path = fresh_path("reconnect");
    fixture f;
    std::vector<std::unique_ptr<session>> owned;
    std::vector<session*> all;
    for (std::size_t i = 0; i < sessions; ++i) {
        owned.push_back(std::make_unique<session>(f.context, impatient(proxy.address())));
        all.push_back(owned.back().get());
        connect(f, *all.back());
    }
    crowd users{all, path, count};
    users.line_up();
    f.run_until([&] { return users.served() == 1; });
    await_children(f, eyes, path, count);
    for (int i = 0; i < reconnects; ++i) {
        const auto before = proxy.stats().connections;
        proxy.cut_all();
        f.run_until([&] {
            return proxy.stats().connections >= before + sessions &&
                   std::ranges::all_of(
                       all, [](auto* s) { return s->state() == session_state::connected; });
        });
    }
    serve_all(f, users, count, 1ms);
    // The C client keeps no watches, so it has none to send again.
    CHECK(set_watches_packets(proxy) == 0);
    await_children(f, eyes, path, 0);
}

} // namespace

TEST_CASE("2000 waiters of two sessions in turn, each with a watch, are served after a reconnect") {
    serve_through_reconnects(2000, 2, 1);
}

TEST_CASE("waiters are served after many reconnects, some while other sessions still look anew") {
    serve_through_reconnects(300, 3, 10);
}
