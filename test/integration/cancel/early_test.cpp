// SPDX-License-Identifier: BSL-1.0
// An acquire that is cancelled before anything was sent for it.
#include "acquire_kind.hpp"
#include "integration/support/cancel_support.hpp"

#include "support/free_port.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("an acquire is cancelled in the turn of its start") {
    const auto type = GENERATE(every_cancellation_type());
    const auto what = GENERATE(every_kind());
    fixture f;
    const auto path = fresh_path("cancel-at-once");
    session s{f.context, options_for()};
    mutex lock{s, path};
    cancellable acquire;
    start_acquire(lock, what, acquire.token());
    acquire.cancel(type);
    CHECK(acquire.calls() == 0); // never inline
    f.run_until([&] { return acquire.done(); });
    CHECK(acquire.code() == aborted);
    CHECK_FALSE(acquire.lock());
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}

TEST_CASE("an acquire is cancelled while no server can be reached") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-unconnected");
    frame_proxy proxy{shared_server().port()};
    proxy.set_outage(true, refusal::not_listening);
    auto options = options_for(proxy.address());
    options.log.level = log_level::none; // refusals are expected
    session s{f.context, options};
    mutex lock{s, path};
    cancellable acquire;
    cancellable attempt;
    cancellable within;
    lock.acquire(acquire.token());
    lock.try_acquire(attempt.token());
    lock.acquire_for(std::chrono::minutes{1}, within.token());
    f.run_until([&] { return s.state() == session_state::connecting; });
    for (const auto one : {&acquire, &attempt, &within})
        one->cancel(type);
    f.run_until([&] { return acquire.done() && attempt.done() && within.done(); });
    for (const auto one : {&acquire, &attempt, &within}) {
        CHECK(one->code() == aborted);
        CHECK_FALSE(one->lock());
    }
    proxy.set_outage(false);
    probe connect;
    s.connect(connect.make());
    f.run_until([&] { return connect.done(); });
    CHECK(connect.code() == error_code{});
    CHECK(proxy.stats().count(direction::to_server, op::create_container) == 0);
    CHECK(proxy.stats().count(direction::to_server, op::multi) == 0);
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() + attempt.calls() + within.calls() == 3);
}

TEST_CASE("an acquire is cancelled while the session is being made") {
    const auto type = GENERATE(every_cancellation_type());
    const auto what = GENERATE(every_kind());
    fixture f;
    const auto path = fresh_path("cancel-connecting");
    frame_proxy proxy{shared_server().port()};
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::connect, .action = action::hold});
    session s{f.context, options_for(proxy.address())};
    mutex lock{s, path};
    cancellable acquire;
    start_acquire(lock, what, acquire.token());
    run_until_hit(f, proxy, rule);
    acquire.cancel(type);
    f.run_until([&] { return acquire.done(); });
    CHECK(acquire.code() == aborted);
    proxy.release_held();
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}

TEST_CASE("cancelling an acquire twice or after its end is of no consequence") {
    fixture f;
    const auto path = fresh_path("cancel-twice");
    session s{f.context, options_for()};
    mutex lock{s, path};
    cancellable acquire;
    lock.acquire(acquire.token());
    acquire.cancel(asio::cancellation_type::total);
    acquire.cancel(asio::cancellation_type::terminal);
    f.run_until([&] { return acquire.done(); });
    acquire.cancel(asio::cancellation_type::terminal);
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}
