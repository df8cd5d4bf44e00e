// SPDX-License-Identifier: BSL-1.0
// A trap of the C client: after a stall of the event loop it cuts a connection whose replies have
// come in time, but lie unread in the socket. Here a handler stalls the context while a lock is
// held, waited for or closed. Nothing may be lost that the servers still know, and a loss must be
// told first.
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <boost/asio/executor_work_guard.hpp>

namespace {

// The C client gives up after two thirds of this, the server after all of it.
constexpr auto long_timeout = 4000ms;
constexpr auto two_thirds_and_more = 2750ms;

// Has a handler take so long. `at_begin` runs first: its effects happen while the context stands
// still. `at_end` runs last: the library has read nothing of them yet.
void stall(fixture& f, std::chrono::nanoseconds time, std::function<void()> at_begin = {},
           std::function<void()> at_end = {}) {
    bool over = false;
    boost::asio::post(f.context, [&] {
        const auto end = std::chrono::steady_clock::now() + time;
        if (at_begin)
            at_begin();
        std::this_thread::sleep_until(end); // justified: the stall itself
        if (at_end)
            at_end();
        over = true;
    });
    f.run_until([&] { return over; });
}

// Makes the lock path, and another program's ticket in it. Returns the ticket's path.
std::string line_up_before(foreign_client& other, const std::string& path) {
    std::string ticket;
    REQUIRE(other.create("/locks") % 110 == 0); // 0: made; -110: there already
    REQUIRE(other.create(path) == 0);
    REQUIRE(other.create(path + "/x-1-", {}, create_mode::ephemeral_sequential, &ticket) == 0);
    return ticket;
}

} // namespace

TEST_CASE("a connection whose answer came during a stall outlives it") {
    frame_proxy proxy{shared_server().port()};
    fixture f;
    session s{f.context, impatient(proxy.address(), long_timeout)};
    connect(f, s);
    const auto held =
        proxy.add_rule({.direction = direction::to_client, .action = action::hold}); // of a beat
    f.run_until([&] { return proxy.hits(held) > 0; });
    stall(f, two_thirds_and_more, [&] { proxy.release_held(); });
    const auto beats = [&] { return proxy.stats().count(direction::to_client, op::exists); };
    f.run_until([&, before = beats()] { return beats() >= before + 2; });
    CHECK(proxy.stats().connections == 1);
}

TEST_CASE("a waiter whose turn came during a stall is granted after it, with a lease to keep") {
    const auto path = fresh_path("stall");
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient(proxy.address(), long_timeout)};
    foreign_client before{shared_server().address()};
    const auto ticket = line_up_before(before, path);
    contender waiter{s, path};
    waiter.acquire();
    await_children(f, eyes, path, 2);
    await_watches(f, shared_server().port(), 1);
    const auto event =
        proxy.add_rule({.direction = direction::to_client, .op = op::watch_event, .path = ticket});
    stall(f, two_thirds_and_more, [&] {
        REQUIRE(before.remove(ticket) == 0);
        REQUIRE(proxy.wait_until_hit(event));
    });
    CHECK_FALSE(waiter.holds());
    const auto id = s.id();
    f.run_until([&] { return waiter.holds(); });
    CHECK(waiter.lock.is_held());
    CHECK(s.id() == id);
    CHECK(eyes.count(path) == 1);
    // What was left of the lease could not have been proved anew in time.
    CHECK(proxy.stats().connections == 2);
    f.run_until([&, first = waiter.lock.deadline()] { return waiter.lock.deadline() > first; });
    CHECK(waiter.lock.is_held());
}

TEST_CASE("a session that ends right after a stall takes its tickets with it at once") {
    const bool destroyed = GENERATE(true, false);
    const auto path = fresh_path("stall");
    frame_proxy proxy{shared_server().port()};
    onlooker eyes{shared_server().address()};
    fixture f;
    std::optional<session> s{std::in_place, f.context, impatient(proxy.address(), long_timeout)};
    contender holder{*s, path};
    acquire_now(f, holder);
    settle(f, *s);
    const auto work = boost::asio::make_work_guard(f.context); // to await the server's part
    std::optional<error_code> closed;
    stall(f, two_thirds_and_more, {}, [&] {
        if (destroyed)
            s.reset();
        else
            s->close([&](const error_code& code) { closed = code; });
    });
    f.run_until([&] { return holder.loss && (destroyed || closed); });
    await_children(f, eyes, path, 0);
    // The close has ended the session, and not its expiry.
    CHECK(proxy.stats().count(direction::to_server, op::close_session) == 1);
    CHECK(proxy.stats().connections == 1);
}

TEST_CASE("a stall beyond the lease deadline is told as a loss before anything else") {
    const auto path = fresh_path("stall");
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, impatient({}, 1500ms)};
    contender holder{s, path};
    contender waiter{s, path};
    holder.acquire();
    waiter.acquire();
    f.run_until([&] { return holder.holds(); });
    await_children(f, eyes, path, 2);
    const auto id = s.id();
    std::vector<std::string> told;
    contender late{s, fresh_path("stall")};
    stall(f, 1450ms); // a lease lasts for 1500 ms at most, and its loss is told T/16 before its end
    CHECK_FALSE(holder.lock.is_held());
    late.acquire(); // its completion comes after the loss
    f.run_until([&] { return holder.loss || late.holds() || waiter.holds(); });
    REQUIRE(holder.loss);
    CHECK(*holder.loss == error::lease_lost);
    f.run_until([&] { return late.holds() && waiter.holds(); });
    CHECK(holder.lost_at <= late.granted_at);
    CHECK(holder.lost_at <= waiter.granted_at);
    if (s.id() == id) // else the session went with its tickets
        CHECK(waiter.token > holder.token);
    await_children(f, eyes, path, 1); // the lost ticket was deleted
    CHECK(release_now(f, holder) == condition::lock_lost);
}
