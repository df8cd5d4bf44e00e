// SPDX-License-Identifier: BSL-1.0
// Cancelling connect, close, release, lost and wait_state_change stops only the waiting.
#include "integration/support/cancel_support.hpp"

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
        CHECK(end_of(f, stays) == expected);
        CHECK(later.calls() + at_once.calls() + stays.calls() == 3);
    }
};

} // namespace

TEST_CASE("a cancelled release releases all the same") {
    const auto type = asio::cancellation_type::terminal; // the others: types_test.cpp
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
    CHECK(end_of(f, release) == aborted);
    f.run_until([&] { return children_of(path).empty(); });
    proxy.release_held();
    check_nothing_left(f, s, path);
    CHECK(release.calls() == 1);
}

TEST_CASE("a release that is cancelled after any number of handlers releases all the same") {
    const auto type = asio::cancellation_type::terminal; // the others: types_test.cpp
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
    const bool several = GENERATE(false, true);
    fixture f;
    const auto path = fresh_path("cancel-lost");
    session s{f.context, options_for()};
    mutex lock{s, path};
    multi_lock both{lock, mutex{s, path + "-second"}};
    auto held = several ? acquire_now(f, both) : acquire_now(f, lock);
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
    const auto type = asio::cancellation_type::terminal; // the others: types_test.cpp
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

namespace {

// A session whose servers go away, and come back.
struct outage : fixture {
    std::string path = fresh_path("cancel-outage");
    frame_proxy proxy{shared_server().port()};
    session s{context, quiet_options()};
    mutex lock{s, path};

    session_options quiet_options() const {
        auto options = options_for(proxy.address());
        options.log.level = log_level::none; // refusals are expected
        return options;
    }
    void begin() {
        proxy.set_outage(true, refusal::not_listening);
        proxy.cut_all();
        run_until([this] { return s.state() == session_state::suspended; });
    }
    void end() {
        proxy.set_outage(false);
        run_until([this] { return s.state() == session_state::connected; });
    }
    // Only the waiting ends, whatever the server knows of it; the rest comes with the connection.
    void check_cancelled(cancellable& release, asio::cancellation_type type) {
        CHECK(release.pending());
        release.cancel(type);
        CHECK(end_of(*this, release) == aborted);
        end();
        run_until([this] { return children_of(path).empty(); });
        check_nothing_left(*this, s, path);
        CHECK(release.calls() == 1);
    }
};

} // namespace

TEST_CASE("a release that is cancelled during an outage releases all the same") {
    const auto type = asio::cancellation_type::terminal; // the others: types_test.cpp
    outage t;
    auto held = acquire_now(t, t.lock);
    t.begin();
    cancellable release;
    held.release(release.token());
    t.context.poll();
    CHECK(children_of(t.path).size() == 1);
    t.check_cancelled(release, type);
}

TEST_CASE("a release whose outcome is unknown is cancelled, and releases all the same") {
    const auto type = asio::cancellation_type::terminal; // the others: types_test.cpp
    outage t;
    auto held = acquire_now(t, t.lock);
    const auto rule = t.proxy.add_rule({.direction = direction::to_client,
                                        .op = op::multi,
                                        .path = t.path + '/',
                                        .action = action::cut_before});
    t.proxy.set_outage(true, refusal::not_listening);
    cancellable release;
    held.release(release.token());
    run_until_hit(t, t.proxy, rule);
    t.run_until([&] { return t.s.state() == session_state::suspended; });
    t.check_cancelled(release, type);
}
