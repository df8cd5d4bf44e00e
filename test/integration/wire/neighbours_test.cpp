// SPDX-License-Identifier: BSL-1.0
// Several locks and several objects on one session.
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("two mutex objects for one path on one session exclude each other") {
    const auto path = fresh_path("neighbours");
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    journal book;
    contender one{s, path, &book};
    contender other{s, path, &book};
    one.acquire();
    f.run_until([&] { return one.holds(); });
    other.try_acquire();
    f.run_until([&] { return other.failed(); });
    CHECK(other.failure == error::would_block);
    other.acquire();
    onlooker eyes{shared_server().address()};
    await_children(f, eyes, path, 2);
    CHECK_FALSE(other.holds());
    one.release();
    f.run_until([&] { return other.holds(); });
    CHECK(other.token > one.token);
    CHECK(book.violations() == journal::no_violations);
}

TEST_CASE("two paths on one session are independent") {
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    contender one{s, fresh_path("neighbours")};
    contender other{s, fresh_path("neighbours")};
    one.acquire();
    other.acquire();
    f.run_until([&] { return one.holds() && other.holds(); });
    one.release();
    f.run_until([&] { return one.release_result.has_value(); });
    CHECK(other.lock.is_held());
}

TEST_CASE("the holder of one lock takes another while many wait for the first") {
    const auto path = fresh_path("neighbours");
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    session t{f.context, impatient(shared_server().address())};
    crowd first{{&s, &t}, path, 1000};
    first.line_up();
    f.run_until([&] { return first.served() == 1; });
    contender second{s, fresh_path("neighbours")};
    second.acquire();
    f.run_until([&] { return second.holds(); });
    CHECK(first.served() == 1);
    second.release();
    first.release_when_granted();
    f.run_until([&] { return first.all_done(); });
    CHECK(first.served() == 1000);
    CHECK(first.book.violations() == journal::no_violations);
}

// What the next holder does before it returns must not hold a request back.
TEST_CASE("a release has left before the next holder of the session goes on") {
    const auto path = fresh_path("neighbours");
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    mutex m{s, path};
    contender first{s, path};
    first.acquire();
    f.run_until([&] { return first.holds(); });
    contender second{s, path}; // its release is sent while that of the first has no answer
    second.release_when_granted = true;
    second.acquire();
    onlooker eyes{shared_server().address()};
    std::size_t left = 0;
    m.acquire([&](error_code, held_lock) { // blocks the thread
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{10};
        do
            left = eyes.count(path);
        while (left > 1 && std::chrono::steady_clock::now() < limit);
    });
    await_children(f, eyes, path, 3);
    first.release();
    f.run_until([&] { return left != 0; });
    CHECK(left == 1);
    f.run_until([&] { return eyes.count(path) == 0; });
}

TEST_CASE("waiters of one session and another alternate in the order of their tickets") {
    const auto path = fresh_path("neighbours");
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    session t{f.context, impatient(shared_server().address())};
    onlooker eyes{shared_server().address()};
    crowd users{{&s, &s, &t, &s, &t, &t}, path, 12};
    for (std::size_t i = 0; i < users.all.size(); ++i) {
        users.all[i]->acquire();
        await_children(f, eyes, path, i + 1);
    }
    // Neighbours, ends and middles leave.
    for (const std::size_t gone : {1, 4, 5, 11})
        users.all[gone]->cancel();
    await_children(f, eyes, path, 8);
    users.release_when_granted();
    f.run_until([&] { return users.all_done(); });
    CHECK(users.served() == 8);
    std::vector<const contender*> expected;
    for (const std::size_t stays : {0, 2, 3, 6, 7, 8, 9, 10})
        expected.push_back(users.all[stays].get());
    CHECK(users.book.in_order(expected));
    CHECK(users.book.violations() == journal::no_violations);
}
