// SPDX-License-Identifier: BSL-1.0
// Cancelling connect, close, release, lost and wait_state_change stops only the waiting.
#include "integration/support/cancel_support.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

/// Three that wait for one thing: one is cancelled while it waits, one at its start, one stays.
struct three_waits {
    cancellable later;
    cancellable at_once;
    probe stays;

    template <class Start>
    void begin(Start start) {
        start(later.token());
        start(stays.make());
    }
    template <class Start>
    void cancel(fixture& f, asio::cancellation_type type, Start start) {
        later.cancel(type);
        start(at_once.token());
        at_once.cancel(type);
        f.run_until([&] { return later.done() && at_once.done(); });
        CHECK(later.code() == aborted);
        CHECK(at_once.code() == aborted);
        CHECK(stays.pending());
    }
    void finish(fixture& f, const error_code& expected) {
        f.run_until([&] { return stays.done(); });
        CHECK(stays.code() == expected);
        CHECK(later.calls() + at_once.calls() + stays.calls() == 3);
    }
};

} // namespace

TEST_CASE("a cancelled release releases all the same") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-release");
    frame_proxy proxy{shared_server().port()};
    session s{f.context, options_for(proxy.address())};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    const auto rule = proxy.add_rule({.direction = direction::to_client,
                                      .op = op::multi,
                                      .path = path + '/',
                                      .action = action::hold});
    cancellable release;
    held.release(release.token());
    run_until_hit(f, proxy, rule);
    release.cancel(type);
    f.run_until([&] { return release.done(); });
    CHECK(release.code() == aborted);
    f.run_until([&] { return children_of(path).empty(); });
    proxy.release_held();
    check_nothing_left(f, s, path);
    CHECK(release.calls() == 1);
}

TEST_CASE("a release that is cancelled at once releases all the same") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-release-at-once");
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    cancellable release;
    held.release(release.token());
    release.cancel(type);
    CHECK(release.calls() == 0);
    f.run_until([&] { return release.done(); });
    CHECK(release.code() == aborted);
    f.run_until([&] { return children_of(path).empty(); });
    check_nothing_left(f, s, path);
}

TEST_CASE("a release that is cancelled after any number of handlers releases all the same") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-release-any");
    session s{f.context, options_for()};
    mutex lock{s, path};
    for (int handlers = 0;; ++handlers) {
        auto held = acquire_now(f, lock); // would wait for ever if the last one were not released
        cancellable release;
        held.release(release.token());
        for (int i = 0; i < handlers && !release.done(); ++i)
            f.context.run_one_for(fixture::default_limit);
        const bool too_late = release.done();
        release.cancel(type);
        f.run_until([&] { return release.done(); });
        CHECK(release.calls() == 1);
        if (too_late)
            break;
        REQUIRE(handlers < 1000);
    }
    check_nothing_left(f, s, path);
}

TEST_CASE("a cancelled wait for the loss or the risk of a lock leaves the lock held") {
    const auto type = GENERATE(every_cancellation_type());
    const bool risk = GENERATE(false, true);
    fixture f;
    const auto path = fresh_path("cancel-lost");
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    const auto start = [&](auto token) {
        if (risk)
            held.wait_at_risk(std::move(token));
        else
            held.wait_lost(std::move(token));
    };
    three_waits waits;
    waits.begin(start);
    f.context.poll();
    waits.cancel(f, type, start);
    CHECK(held.is_held());
    release_now(f, held);
    waits.finish(f, error::released);
    check_nothing_left(f, s, path);
}

TEST_CASE("a cancelled wait for a change of state leaves the session alone") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    session s{f.context, options_for()};
    cancellable wait;
    cancellable at_once;
    s.wait_state_change(session_state::idle, wait.token());
    f.context.poll();
    CHECK(wait.pending());
    wait.cancel(type);
    s.wait_state_change(session_state::idle, at_once.token());
    at_once.cancel(type);
    f.run_until([&] { return wait.done() && at_once.done(); });
    CHECK(wait.code() == aborted);
    CHECK(at_once.code() == aborted);
    CHECK(s.state() == session_state::idle);
    check_nothing_left(f, s, fresh_path("cancel-wait"));
    CHECK(wait.calls() + at_once.calls() == 2);
}

TEST_CASE("a cancelled connect goes on connecting") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    frame_proxy proxy{shared_server().port()};
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::connect, .action = action::hold});
    session s{f.context, options_for(proxy.address())};
    const auto start = [&](auto token) { s.connect(std::move(token)); };
    three_waits waits;
    waits.begin(start);
    run_until_hit(f, proxy, rule);
    waits.cancel(f, type, start);
    CHECK(s.state() == session_state::connecting);
    proxy.release_held();
    waits.finish(f, {});
    CHECK(s.state() == session_state::connected);
}

TEST_CASE("a cancelled close goes on closing") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-close");
    frame_proxy proxy{shared_server().port()};
    session s{f.context, options_for(proxy.address())};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::close_session, .action = action::hold});
    const auto start = [&](auto token) { s.close(std::move(token)); };
    three_waits waits;
    waits.begin(start);
    run_until_hit(f, proxy, rule);
    waits.cancel(f, type, start);
    CHECK(children_of(path).empty());
    proxy.release_held();
    waits.finish(f, {});
    CHECK(s.state() == session_state::closed);
    f.run_out();
}
