// SPDX-License-Identifier: BSL-1.0
// The session's end at the server, forced by a second connection with the same id and password.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

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
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
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
    holder.release();
    r.f.run_until([&] { return holder.release_result.has_value(); });
    CHECK(*holder.release_result == condition::lock_lost);
    CHECK(*holder.release_result == error::session_expired);
    holder.acquire();
    r.f.run_until([&] { return holder.completed == 3; });
    REQUIRE(holder.holds());
    CHECK(holder.token > token);
    CHECK(tickets_of(path, r.s.id()) == 1);
}

TEST_CASE("a loss that nobody awaited is told to whoever asks later") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    contender holder{r.s, path};
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
    r.end_session();
    r.f.run_until([&] { return !holder.lock.is_held(); });
    std::optional<error_code> told;
    holder.lock.wait_lost([&](const error_code& why) { told = why; });
    r.f.run_until([&] { return told.has_value(); });
    CHECK(*told == error::session_expired);
}

TEST_CASE("a waiter whose session expired lines up again, behind those that stand there") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    journal book;
    contender holder{r.other, path, &book};
    contender waiter{r.s, path, &book};
    contender last{r.other, path, &book};
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
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

TEST_CASE("a holder and waiters of one session: one loss, and the others in their old order") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    crowd users{{&r.s}, path, 6};
    users.line_up();
    r.f.run_until([&] { return users.served() == 1; });
    await_children(r.f, r.eyes, path, 6);
    const auto id = r.s.id();
    r.end_session();
    r.f.run_until([&] { return users.all[1]->holds(); });
    CHECK(r.s.id() != id);
    REQUIRE(users.all[0]->loss);
    CHECK(*users.all[0]->loss == error::session_expired);
    await_children(r.f, r.eyes, path, 5);
    users.release_when_granted();
    r.f.run_until([&] { return users.all_done(); });
    CHECK(users.served() == 6);
    CHECK(users.book.in_order(users.in_line()));
    CHECK(users.book.violations() == journal::no_violations);
    await_children(r.f, r.eyes, path, 0);
}

TEST_CASE("the next session is granted the lock of one that expired") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    contender holder{r.s, path};
    contender waiter{r.other, path};
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
    waiter.acquire();
    await_children(r.f, r.eyes, path, 2);
    r.end_session();
    r.f.run_until([&] { return waiter.holds() && holder.loss; });
    CHECK(waiter.token > holder.token);
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

TEST_CASE("an acquire_for keeps its limit over an expiry") {
    expiry_rig r;
    const auto path = fresh_path("expiry");
    contender holder{r.other, path};
    contender waiter{r.s, path};
    holder.acquire();
    r.f.run_until([&] { return holder.holds(); });
    const auto begin = std::chrono::steady_clock::now();
    waiter.acquire_for(1s);
    await_children(r.f, r.eyes, path, 2);
    r.end_session();
    r.f.run_until([&] { return waiter.completed == 1; });
    CHECK(waiter.failure == error::timeout);
    const auto taken = std::chrono::steady_clock::now() - begin;
    CHECK(taken >= 990ms);
    CHECK(taken < 5s);
    await_children(r.f, r.eyes, path, 1);
}
