// What goes over the wire: how many requests, in how many flights.
#include "integration/support/fault_rig.hpp"
#include "support/pch.hpp"
#include "wire_meter.hpp"

using namespace turnstile;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

// Beats come each T/8, 3.75 s here: none falls into the few milliseconds that are counted.
zookeeper_server_options patient_server() { return {.max_session_timeout_ms = 40'000}; }

session_options slow_beats(const std::string& servers) {
    auto options = impatient(servers);
    options.timeout = 30s;
    return options;
}

void acquire(fixture& f, contender& user) {
    user.acquire();
    f.run_until([&] { return user.holds() || user.failed(); });
    REQUIRE(user.holds());
}

void release(fixture& f, contender& user) {
    user.release();
    f.run_until([&] { return user.release_result.has_value(); });
    REQUIRE(*user.release_result == error_code{});
}

} // namespace

TEST_CASE("an uncontended acquire and release cost two requests") {
    zookeeper_server server{patient_server()};
    frame_proxy proxy{server.port()};
    fixture f;
    session s{f.context, slow_beats(proxy.address())};
    contender user{s, "/locks/orders"};
    acquire(f, user);
    release(f, user);
    const wire_meter meter{proxy, "/locks/orders"};
    for (int i = 0; i < 10; ++i) {
        acquire(f, user);
        release(f, user);
    }
    CHECK(meter.sent(op::multi) == 20);
    CHECK(meter.sent() == 20);
}

TEST_CASE("a free lock is granted by the answer to one request") {
    zookeeper_server server{patient_server()};
    frame_proxy proxy{server.port()};
    fixture f;
    session s{f.context, slow_beats(proxy.address())};
    contender user{s, "/locks/orders"};
    acquire(f, user);
    release(f, user);
    const wire_meter meter{proxy, "/locks/orders"};
    const auto held = proxy.add_rule(
        {.direction = direction::to_client, .op = op::multi, .action = action::hold});
    user.acquire();
    f.run_until([&] { return proxy.hits(held) == 1; });
    CHECK(meter.sent() == 1);
    CHECK_FALSE(user.holds());
    proxy.release_held();
    f.run_until([&] { return user.holds(); });
    CHECK(meter.sent() == 1);
}

TEST_CASE("the first acquire of a path that exists costs one request more") {
    zookeeper_server server{patient_server()};
    frame_proxy proxy{server.port()};
    foreign_client other{server.address()};
    REQUIRE(other.create("/locks") == 0);
    REQUIRE(other.create("/locks/orders") == 0);
    fixture f;
    session s{f.context, slow_beats(proxy.address())};
    connect(f, s);
    const wire_meter meter{proxy, "/locks"};
    contender user{s, "/locks/orders"};
    acquire(f, user);
    CHECK(meter.sent(op::get_data) == 1);
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent() == 2);
}

TEST_CASE("the first acquire of a new path makes it with its parents") {
    zookeeper_server server{patient_server()};
    frame_proxy proxy{server.port()};
    fixture f;
    session s{f.context, slow_beats(proxy.address())};
    connect(f, s);
    const wire_meter meter{proxy, "/a"};
    contender user{s, "/a/b/c"};
    acquire(f, user);
    // get; /a, /a/b, /a/b/c as containers in one flight; the enqueue.
    CHECK(meter.sent(op::get_data) == 1);
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent() == 5);
    onlooker eyes{server.address()};
    CHECK(eyes.children("/a/b") == std::vector<std::string>{"c"});
}

TEST_CASE("a hand-off across sessions asks nothing of the successor") {
    zookeeper_server server{patient_server()};
    frame_proxy proxy{server.port()};
    fixture f;
    session first{f.context, slow_beats(server.address())};
    session second{f.context, slow_beats(proxy.address())};
    contender holder{first, "/locks/orders"};
    contender waiter{second, "/locks/orders"};
    acquire(f, holder);
    waiter.acquire();
    await_watches(f, server.port(), 1);
    const wire_meter meter{proxy, "/locks/orders"};
    holder.release();
    f.run_until([&] { return waiter.holds(); });
    CHECK(meter.sent() == 0);
    CHECK(waiter.token > holder.token);
}

TEST_CASE("a hand-off within a session asks nothing but the release") {
    zookeeper_server server{patient_server()};
    frame_proxy proxy{server.port()};
    fixture f;
    session s{f.context, slow_beats(proxy.address())};
    contender holder{s, "/locks/orders"};
    contender waiter{s, "/locks/orders"};
    acquire(f, holder);
    waiter.acquire();
    onlooker eyes{server.address()};
    await_children(f, eyes, "/locks/orders", 2);
    settle(f, s);
    CHECK(watches_of(server.port()) == 0);
    const wire_meter meter{proxy, "/locks/orders"};
    holder.release();
    f.run_until([&] { return waiter.holds() && holder.release_result.has_value(); });
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent() == 1);
}

TEST_CASE("a busy try_acquire costs three requests and leaves nothing") {
    zookeeper_server server{patient_server()};
    frame_proxy proxy{server.port()};
    onlooker eyes{server.address()};
    fixture f;
    session first{f.context, slow_beats(server.address())};
    session second{f.context, slow_beats(proxy.address())};
    contender holder{first, "/locks/orders"};
    contender hasty{second, "/locks/orders"};
    acquire(f, hasty); // knows the path from here on
    release(f, hasty);
    acquire(f, holder);
    const wire_meter meter{proxy, "/locks/orders"};
    hasty.try_acquire();
    f.run_until([&] { return hasty.failed(); });
    CHECK(hasty.failure == error::would_block);
    f.run_until([&] { return meter.sent() == 3; });
    await_children(f, eyes, "/locks/orders", 1);
    CHECK(meter.sent(op::multi) == 1);
    CHECK(meter.sent(op::get_data) == 1);
    CHECK(meter.sent(op::remove) == 1);
    CHECK(watches_of(server.port()) == 0);
}
