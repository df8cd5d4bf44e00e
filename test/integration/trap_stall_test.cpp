// Trap 7: after a stall of the event loop the C client would cut a connection whose replies lie
// unread in the socket.
#include "fault_rig.hpp"
#include "support/pch.hpp"

#include <boost/asio/post.hpp>

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

// A handler that computes for too long: what the library has to live with.
void stall(fixture& f, std::chrono::nanoseconds time) {
    bool over = false;
    boost::asio::post(f.context, [&] {
        const auto end = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < end) {
        }
        over = true;
    });
    f.run_until([&] { return over; });
}

session_options short_session(std::chrono::milliseconds timeout) {
    auto options = impatient(shared_server().address());
    options.timeout = timeout;
    return options;
}

} // namespace

TEST_CASE("an idle session outlives a stall of more than two thirds of its timeout") {
    fixture f;
    session s{f.context, short_session(1500ms)};
    connect(f, s);
    const auto id = s.id();
    stall(f, 1100ms);
    contender user{s, fresh_path("stall")};
    user.acquire();
    f.run_until([&] { return user.holds(); });
    CHECK(s.id() == id);
}

TEST_CASE("a waiter whose turn came during a stall is granted after it, in the same session") {
    const auto path = fresh_path("stall");
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, short_session(1500ms)};
    foreign_client before{shared_server().address()};
    REQUIRE(before.create("/locks") % 110 == 0); // made, or there already
    REQUIRE(before.create(path) == 0);
    std::string ticket;
    REQUIRE(before.create(path + "/x-1-", {}, create_mode::ephemeral_sequential, &ticket) == 0);
    contender waiter{s, path};
    waiter.acquire();
    await_children(f, eyes, path, 2);
    await_watches(f, shared_server().port(), 1);
    const auto id = s.id();
    REQUIRE(before.remove(ticket) == 0);
    stall(f, 1100ms);
    CHECK_FALSE(waiter.holds());
    f.run_until([&] { return waiter.holds(); });
    CHECK(waiter.lock.is_held());
    CHECK(s.id() == id);
    CHECK(eyes.count(path) == 1);
}

TEST_CASE("a stall beyond the lease deadline is told as a loss before anything else") {
    const auto path = fresh_path("stall");
    onlooker eyes{shared_server().address()};
    fixture f;
    session s{f.context, short_session(1500ms)};
    contender holder{s, path};
    contender waiter{s, path};
    holder.acquire();
    waiter.acquire();
    f.run_until([&] { return holder.holds(); });
    await_children(f, eyes, path, 2);
    const auto id = s.id();
    std::vector<std::string> told;
    contender late{s, fresh_path("stall")};
    stall(f, 1450ms); // at most a whole timeout is left after a beat, and the margin of it is told
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
    holder.release();
    f.run_until([&] { return holder.release_result.has_value(); });
    CHECK(*holder.release_result == condition::lock_lost);
}

TEST_CASE("a stall within the lease keeps the lock") {
    const auto path = fresh_path("stall");
    fixture f;
    session s{f.context, short_session(4000ms)};
    contender holder{s, path};
    holder.acquire();
    f.run_until([&] { return holder.holds(); });
    for (int i = 0; i < 3; ++i) {
        stall(f, 1000ms); // a quarter; three eighths are left at the worst instant
        CHECK(holder.lock.is_held());
        // Until the next beat was answered.
        const auto deadline = holder.lock.deadline();
        f.run_until([&] { return holder.lock.deadline() > deadline; });
    }
    CHECK_FALSE(holder.loss);
}
