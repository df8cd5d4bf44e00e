// SPDX-License-Identifier: BSL-1.0
// What is cancelled while no server can be reached: only the waiting ends.
#include "integration/support/cancel_support.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

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
        run_until([&] { return release.done(); });
        CHECK(release.code() == aborted);
        end();
        run_until([this] { return children_of(path).empty(); });
        check_nothing_left(*this, s, path);
        CHECK(release.calls() == 1);
    }
};

} // namespace

TEST_CASE("a release that is cancelled during an outage releases all the same") {
    const auto type = GENERATE(every_cancellation_type());
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
    const auto type = GENERATE(every_cancellation_type());
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

TEST_CASE("a connect that is cancelled between two attempts leaves the session to go on") {
    const auto type = GENERATE(every_cancellation_type());
    outage t;
    auto held = acquire_now(t, t.lock);
    t.begin();
    cancellable connect;
    probe stays;
    t.s.connect(connect.token());
    t.s.connect(stays.make());
    t.context.poll();
    CHECK(connect.pending());
    connect.cancel(type);
    t.run_until([&] { return connect.done(); });
    CHECK(connect.code() == aborted);
    CHECK(stays.pending());
    t.end();
    t.run_until([&] { return stays.done(); });
    CHECK(stays.code() == error_code{});
    CHECK(held.is_held());
    release_now(t, held);
    check_nothing_left(t, t.s, t.path);
}

TEST_CASE("a close that is cancelled while releases are on their way goes on closing") {
    const auto type = GENERATE(every_cancellation_type());
    outage t;
    auto held = acquire_now(t, t.lock);
    const auto rule = t.proxy.add_rule({.direction = direction::to_client,
                                        .op = op::multi,
                                        .path = t.path + '/',
                                        .action = action::hold});
    probe release;
    held.release(release.make());
    cancellable close;
    t.s.close(close.token());
    run_until_hit(t, t.proxy, rule);
    CHECK(close.pending());
    close.cancel(type);
    t.run_until([&] { return close.done(); });
    CHECK(close.code() == aborted);
    CHECK(release.pending());
    t.proxy.release_held();
    t.run_until([&] { return release.done() && t.s.state() == session_state::closed; });
    CHECK(release.code() == error_code{});
    CHECK(children_of(t.path).empty());
}
