// SPDX-License-Identifier: BSL-1.0
// session: how it moves, closes and ends, and when its context has no work left.
#include "integration/support/cancel_support.hpp"

namespace {

// Whether the context has nothing more to do, not even to wait for.
bool is_without_work(asio::io_context& context) {
    context.restart();
    context.poll();
    return context.stopped();
}

} // namespace

TEST_CASE("a session that was never used is no work and needs no end") {
    fixture f;
    CHECK(is_without_work(f.context));
    {
        session s{f.context, options_for()};
        f.context.restart();
        CHECK(f.context.poll() == 0);
        CHECK(s.state() == session_state::idle);
        CHECK(s.id() == 0);
        CHECK(s.negotiated_timeout() == std::chrono::milliseconds{0});
    }
    CHECK(is_without_work(f.context));
}

TEST_CASE("an open session is work until it is closed") {
    fixture f;
    session s{f.context, options_for()};
    mutex lock{s, fresh_path("work")};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error_code{});
    CHECK_FALSE(is_without_work(f.context));
    CHECK(s.id() != 0);
    CHECK(s.negotiated_timeout() == std::chrono::seconds{4});
    auto held = acquire_now(f, lock);
    CHECK_FALSE(is_without_work(f.context));
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    CHECK(is_without_work(f.context));
    CHECK(s.state() == session_state::closed);
}

TEST_CASE("a session destroyed outside of run() frees its locks when the context runs once more") {
    const auto path = fresh_path("work-destroyed");
    asio::io_context context;
    held_lock held;
    std::optional<session> s{std::in_place, context, options_for()};
    mutex lock{*s, path};
    lock.acquire([&](error_code why, held_lock granted) {
        CHECK(why == error_code{});
        held = std::move(granted);
        context.stop();
    });
    context.run();
    REQUIRE(held.is_held());
    s.reset();
    CHECK(children_of(path).size() == 1);
    context.restart();
    context.poll(); // and never again
    const auto asked = std::chrono::steady_clock::now();
    while (!children_of(path).empty())
        REQUIRE(std::chrono::steady_clock::now() - asked < std::chrono::seconds{2}); // T is 4 s
}

TEST_CASE("a session that failed to connect is no work") {
    fixture f;
    frame_proxy proxy{shared_server().port()};
    proxy.set_outage(true);
    auto options = options_for(proxy.address());
    options.connect_timeout = std::chrono::milliseconds{100};
    options.log.level = log_level::none;
    session s{f.context, options};
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::connect_timeout);
    CHECK(is_without_work(f.context));
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    CHECK(is_without_work(f.context));
}

TEST_CASE("states are told in their order") {
    fixture f;
    session s{f.context, options_for()};
    std::vector<session_state> seen;
    f.spawn([&]() -> asio::awaitable<void> {
        auto state = s.state();
        while (state != session_state::closed) {
            state = co_await s.wait_state_change(state);
            seen.push_back(state);
        }
    });
    CHECK(result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error_code{});
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    f.run_spawned();
    CHECK(seen.front() == session_state::connecting);
    CHECK(seen.back() == session_state::closed);
    CHECK(std::ranges::count(seen, session_state::connected) == 1);
}
