// SPDX-License-Identifier: BSL-1.0
// No handler is called by the function that starts its operation, whatever is known at once.
#include "integration/support/cancel_support.hpp"

namespace {

// Starts an operation from inside the context, where a dispatch would run at once.
template <class Start>
error_code late_result_of(fixture& f, Start start) {
    probe result;
    bool starting = false;
    const auto strand = asio::make_strand(f.context);
    asio::post(f.context, [&] {
        starting = true;
        start(asio::bind_executor(strand, [&, done = result.make()](auto&&... values) mutable {
            CHECK_FALSE(starting);
            CHECK(strand.running_in_this_thread());
            done(std::forward<decltype(values)>(values)...);
        }));
        starting = false;
        CHECK(result.calls() == 0);
    });
    f.run_until([&] { return result.done(); });
    return result.code();
}

} // namespace

TEST_CASE("operations that fail at once complete later") {
    fixture f;
    session s{f.context, options_for()};
    mutex bad{s, "not/absolute"};
    CHECK(late_result_of(f, [&](auto t) { bad.acquire(std::move(t)); }) == error::bad_path);
    CHECK(late_result_of(f, [&](auto t) { bad.try_acquire(std::move(t)); }) == error::bad_path);
    CHECK(late_result_of(f, [&](auto t) {
              bad.acquire_for(std::chrono::seconds{1}, std::move(t));
          }) == error::bad_path);
    held_lock nothing;
    CHECK(late_result_of(f, [&](auto t) { nothing.release(std::move(t)); }) == error::not_held);
    CHECK(late_result_of(f, [&](auto t) { nothing.wait_lost(std::move(t)); }) == error::not_held);
    CHECK(late_result_of(f, [&](auto t) { nothing.wait_at_risk(std::move(t)); }) ==
          error::not_held);

    auto options = options_for();
    options.servers = "no port:x";
    session unusable{f.context, options};
    mutex of_unusable{unusable, "/locks/a"};
    CHECK(late_result_of(f, [&](auto t) { unusable.connect(std::move(t)); }) == error::bad_servers);
    CHECK(late_result_of(f, [&](auto t) { of_unusable.acquire(std::move(t)); }) ==
          error::bad_servers);
    CHECK(late_result_of(f, [&](auto t) {
              unusable.wait_state_change(session_state::idle, std::move(t));
          }) == error::bad_servers);
    CHECK(late_result_of(f, [&](auto t) { unusable.close(std::move(t)); }) == error_code{});
    CHECK(s.state() == session_state::idle);
}

TEST_CASE("operations that succeed at once complete later") {
    fixture f;
    const auto path = fresh_path("inline");
    session s{f.context, options_for()};
    mutex lock{s, path};
    CHECK(late_result_of(f, [&](auto t) {
              s.wait_state_change(session_state::closed, std::move(t));
          }) == error_code{});
    CHECK(late_result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error_code{});
    CHECK(late_result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error_code{});
    auto held = acquire_now(f, lock);
    auto other = acquire_now(f, *std::make_unique<mutex>(s, fresh_path("inline")));
    CHECK(late_result_of(f, [&](auto t) { lock.try_acquire(std::move(t)); }) == error::would_block);
    CHECK(late_result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    CHECK(late_result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code{});
    CHECK(late_result_of(f, [&](auto t) { s.connect(std::move(t)); }) == error::session_closed);
    CHECK(late_result_of(f, [&](auto t) {
              s.wait_state_change(session_state::closed, std::move(t));
          }) == error::session_closed);
    CHECK(late_result_of(f, [&](auto t) { lock.acquire(std::move(t)); }) == error::session_closed);
    CHECK(late_result_of(f, [&](auto t) { held.wait_lost(std::move(t)); }) ==
          error::session_closed);
    CHECK(late_result_of(f, [&](auto t) { held.release(std::move(t)); }) == condition::lock_lost);
    CHECK(late_result_of(f, [&](auto t) { other.wait_lost(std::move(t)); }) ==
          condition::lock_lost);
}

TEST_CASE("a cancellation that takes effect at once completes later") {
    const auto type = GENERATE(every_cancellation_type());
    fixture f;
    const auto path = fresh_path("inline-cancel");
    session s{f.context, options_for()};
    mutex lock{s, path};
    auto held = acquire_now(f, lock);
    cancellable acquire;
    cancellable lost;
    cancellable wait;
    lock.acquire(acquire.token());
    held.wait_lost(lost.token());
    s.wait_state_change(session_state::connected, wait.token());
    f.run_until([&] { return children_of(path).size() == 2; });
    bool emitted = false;
    asio::post(f.context, [&] {
        for (const auto one : {&acquire, &lost, &wait}) {
            one->cancel(type);
            CHECK(one->pending());
        }
        emitted = true;
    });
    f.run_until([&] { return emitted && acquire.done() && lost.done() && wait.done(); });
    CHECK(acquire.calls() + lost.calls() + wait.calls() == 3);
}
