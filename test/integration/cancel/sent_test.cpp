// SPDX-License-Identifier: BSL-1.0
// An acquire that is cancelled while a reply to one of its requests is on its way. (A ticket is
// made by a multi.)
#include "acquire_kind.hpp"
#include "integration/support/cancel_support.hpp"

namespace asio = boost::asio;
using namespace turnstile;
using namespace turnstile::test;

namespace {

// Holds the first reply of this kind, cancels the acquire meanwhile, and sees what is left.
void cancel_during(op request, bool contended) {
    const auto type = GENERATE(every_cancellation_type());
    const auto what = GENERATE(every_kind());
    CAPTURE(static_cast<int>(type), static_cast<int>(what));
    fixture f;
    const auto path = fresh_path("cancel-sent");
    frame_proxy proxy{shared_server().port()};
    session s{f.context, options_for(proxy.address())};
    mutex lock{s, path};
    session other{f.context, options_for()};
    mutex theirs{other, path};
    held_lock held;
    if (contended)
        held = acquire_now(f, theirs);
    probe connect;
    s.connect(connect.make());
    f.run_until([&] { return connect.done(); });
    const auto rule = proxy.add_rule({.direction = direction::to_client,
                                      .op = request,
                                      .path = request == op::get_data ? path + "/turn-" : "",
                                      .action = action::hold});

    cancellable acquire;
    start_acquire(lock, what, acquire.token());
    run_until_hit(f, proxy, rule);
    REQUIRE(acquire.pending());
    acquire.cancel(type);
    f.run_until([&] { return acquire.done(); }); // does not wait for the reply
    CHECK(acquire.code() == aborted);
    CHECK_FALSE(acquire.lock());

    proxy.release_held();
    if (contended) {
        f.run_until([&] { return children_of(path).size() == 1; });
        CHECK(held.is_held());
        release_now(f, held);
    }
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}

} // namespace

TEST_CASE("an acquire is cancelled while its path is being made") {
    cancel_during(op::create_container, false);
}

TEST_CASE("an acquire is cancelled while its ticket is being created") {
    cancel_during(op::multi, false);
}

TEST_CASE("an acquire is cancelled while a ticket behind another one is being created") {
    cancel_during(op::multi, true);
}

TEST_CASE("an acquire is cancelled while it looks at its predecessor") {
    cancel_during(op::get_data, true);
}

TEST_CASE("a cancelled ticket whose create is never answered goes with the session") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-unanswered");
    frame_proxy proxy{shared_server().port()};
    cancellable acquire;
    {
        session s{f.context, options_for(proxy.address())};
        mutex lock{s, path};
        auto first = acquire_now(f, lock);
        release_now(f, first);
        const auto rule = proxy.add_rule(
            {.direction = direction::to_client, .op = op::multi, .action = action::hold});
        lock.acquire(acquire.token());
        run_until_hit(f, proxy, rule);
        acquire.cancel(type);
        f.run_until([&] { return acquire.done(); });
        CHECK(acquire.code() == aborted);
        CHECK(children_of(path).size() == 1); // at the server, and nobody here knows its name
    }
    // The session is destroyed without an answer; its connection is gone.
    f.run_out();
    await_empty(path); // at latest when the session expires
    CHECK(acquire.calls() == 1);
}

TEST_CASE("a cancelled ticket whose create was cut off is found and deleted after the reconnect") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("cancel-cut");
    frame_proxy proxy{shared_server().port()};
    auto options = options_for(proxy.address());
    options.log.level = log_level::none; // the cut is expected
    session s{f.context, options};
    mutex lock{s, path};
    {
        auto first = acquire_now(f, lock);
        release_now(f, first);
    }
    const auto id = s.id();
    const auto rule = proxy.add_rule(
        {.direction = direction::to_client, .op = op::multi, .action = action::hold});
    cancellable acquire;
    lock.acquire(acquire.token());
    run_until_hit(f, proxy, rule);
    acquire.cancel(type);
    f.run_until([&] { return acquire.done(); });
    CHECK(acquire.code() == aborted);
    CHECK(children_of(path).size() == 1);
    proxy.cut_all(); // the reply is lost for good
    f.run_until([&] { return children_of(path).empty(); });
    CHECK(s.id() == id); // by its own doing, not by an expiry
    check_nothing_left(f, s, path);
    CHECK(acquire.calls() == 1);
}
