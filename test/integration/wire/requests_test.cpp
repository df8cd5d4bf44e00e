// SPDX-License-Identifier: BSL-1.0
// What goes over the wire: how many requests, in how many flights.
#include "integration/support/fault_rig.hpp"

#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

namespace {

/// By rules that let everything pass: beats and what else concerns other paths does not count.
/// Of all rules, only the first that fires is carried out and counted: do not mix it with rules for
/// the same requests.
class wire_meter {
public:
    wire_meter(frame_proxy& proxy, const std::string& path) : proxy_(proxy) {
        rules_[op::remove] = proxy.add_rule( // as it is sent
            {.op = op::multi, .part = op::remove, .path = path, .times = 0});
        for (const auto what :
             {op::create2, op::exists, op::get_data, op::get_children2, op::multi, op::any})
            rules_[what] = proxy.add_rule({.op = what, .path = path, .times = 0});
    }

    /// Requests of a kind so far. The last of them may have been forwarded just now.
    int sent(op what) const { return proxy_.hits(rules_.at(what)); }
    int sent() const {
        int sum = 0;
        for (const auto& [what, rule] : rules_)
            sum += proxy_.hits(rule);
        return sum;
    }

private:
    frame_proxy& proxy_;
    std::map<op, rule_id> rules_;
};

/// One session behind the proxy, and one that reaches the server directly.
struct request_rig {
    zookeeper_server server{{.max_session_timeout_ms = 4'000'000}};
    frame_proxy proxy{server.port()};
    onlooker eyes{server.address()};
    fixture f;
    session s{f.context, without_beats(proxy.address())};
    session direct{f.context, without_beats(server.address())};

    void acquire(contender& user) {
        user.acquire();
        f.run_until([&] { return user.holds() || user.failed(); });
        REQUIRE(user.holds());
    }
    void release(contender& user) { REQUIRE(release_now(f, user) == error_code{}); }
};

} // namespace

TEST_CASE("an uncontended acquire and release cost two requests") {
    request_rig r;
    contender user{r.s, "/locks/orders"};
    r.acquire(user);
    r.release(user);
    const wire_meter meter{r.proxy, "/locks/orders"};
    for (int i = 0; i < 10; ++i) {
        r.acquire(user);
        r.release(user);
    }
    CHECK(meter.sent(op::multi) == 20);
    CHECK(meter.sent() == 20);
}

TEST_CASE("the first acquire of a path that exists costs one request more") {
    request_rig r;
    foreign_client other{r.server.address()};
    REQUIRE(other.create("/locks") == 0);
    REQUIRE(other.create("/locks/orders") == 0);
    connect(r.f, r.s);
    const wire_meter meter{r.proxy, "/locks"};
    contender user{r.s, "/locks/orders"};
    r.acquire(user);
    CHECK(meter.sent(op::get_data) == 1);
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent() == 2);
}

TEST_CASE("the first acquire of a new path makes it with its parents") {
    request_rig r;
    connect(r.f, r.s);
    const wire_meter meter{r.proxy, "/a"};
    contender user{r.s, "/a/b/c"};
    r.acquire(user);
    // get; /a, /a/b, /a/b/c as containers in one flight; the enqueue.
    CHECK(meter.sent(op::get_data) == 1);
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent() == 5);
    CHECK(r.eyes.children("/a/b") == std::vector<std::string>{"c"});
}

TEST_CASE("a hand-off across sessions asks nothing of the successor") {
    request_rig r;
    contender holder{r.direct, "/locks/orders"};
    contender waiter{r.s, "/locks/orders"};
    r.acquire(holder);
    waiter.acquire();
    await_watches(r.f, r.server.port(), 1);
    const wire_meter meter{r.proxy, "/locks/orders"};
    holder.release();
    r.f.run_until([&] { return waiter.holds(); });
    CHECK(meter.sent() == 0);
    CHECK(waiter.token > holder.token);
}

TEST_CASE("a hand-off within a session asks nothing but the release") {
    request_rig r;
    contender holder{r.s, "/locks/orders"};
    contender waiter{r.s, "/locks/orders"};
    r.acquire(holder);
    waiter.acquire();
    await_children(r.f, r.eyes, "/locks/orders", 2);
    settle(r.f, r.s);
    CHECK(watches_of(r.server.port()) == 0);
    const wire_meter meter{r.proxy, "/locks/orders"};
    holder.release();
    r.f.run_until([&] { return waiter.holds() && holder.release_result.has_value(); });
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent() == 1);
}

TEST_CASE("a busy try_acquire costs three requests and leaves nothing") {
    request_rig r;
    contender holder{r.direct, "/locks/orders"};
    contender hasty{r.s, "/locks/orders"};
    r.acquire(hasty); // knows the path from here on
    r.release(hasty);
    r.acquire(holder);
    const wire_meter meter{r.proxy, "/locks/orders"};
    hasty.try_acquire();
    r.f.run_until([&] { return hasty.failed(); });
    CHECK(hasty.failure == error::would_block);
    r.f.run_until([&] { return meter.sent() == 3; });
    await_children(r.f, r.eyes, "/locks/orders", 1);
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent(op::get_data) == 1);
    CHECK(meter.sent(op::remove) == 1);
    CHECK(watches_of(r.server.port()) == 0);
}

// What the next holder does before it returns must not hold a request back.
TEST_CASE("a release has left before the next holder of the session goes on") {
    const auto path = fresh_path("neighbours");
    fixture f;
    session s{f.context, impatient(shared_server().address())};
    mutex m{s, path};
    contender first{s, path};
    acquire_now(f, first);
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
