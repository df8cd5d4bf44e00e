// SPDX-License-Identifier: BSL-1.0
// Sessions, mutexes and empty locks without any server: who is called where, and what is refused.
#include <turnstile.hpp>

#include "support/pch.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/execution/bad_executor.hpp>

namespace asio = boost::asio;
using namespace turnstile;
using namespace std::chrono_literals;

namespace {

std::ptrdiff_t threads() {
    const std::filesystem::directory_iterator tasks{"/proc/self/task"};
    return std::distance(begin(tasks), end(tasks));
}

session_options bad_options() {
    session_options options;
    options.timeout = 0ms; // each operation is refused without any I/O
    return options;
}

session_options nobody_there() {
    session_options options;
    options.servers = "127.0.0.1:1";
    options.connect_timeout = 100ms;
    options.log.level = log_level::none;
    return options;
}

} // namespace

TEST_CASE("a session on no executor is refused at once") {
    CHECK_THROWS_AS(session(asio::any_io_executor{}), asio::execution::bad_executor);
    CHECK_THROWS_AS(session(asio::any_io_executor{}, bad_options()), asio::execution::bad_executor);
}

TEST_CASE("an empty lock starts no thread, whatever the token") {
    const auto before = threads();
    held_lock nothing;
    CHECK_FALSE(nothing.get_executor());
    std::optional<error_code> told;
    const auto note = [&](error_code code) { told = code; };
    nothing.release(note); // there is no executor that could call it later
    CHECK(std::exchange(told, {}) == error::not_held);
    nothing.wait_lost(note);
    CHECK(std::exchange(told, {}) == error::not_held);
    nothing.wait_at_risk(note);
    CHECK(std::exchange(told, {}) == error::not_held);
    nothing.release(asio::detached);
    auto future = nothing.release(asio::use_future);
    REQUIRE(future.wait_for(10s) == std::future_status::ready);
    CHECK_THROWS_AS(future.get(), boost::system::system_error);
    CHECK(threads() == before);
}

TEST_CASE("a handler elsewhere needs nothing of a context that has stopped") {
    asio::io_context stopped;
    asio::io_context elsewhere;
    std::optional<error_code> told;
    const auto note = [&](error_code code) {
        CHECK(elsewhere.get_executor().running_in_this_thread());
        told = code;
    };
    const auto strand = asio::make_strand(elsewhere);
    SECTION("what is refused at once") {
        session s{stopped, bad_options()};
        stopped.stop();
        s.connect(asio::bind_executor(strand, note));
        elsewhere.run_for(10s);
        CHECK(told == error::bad_options);
    }
    SECTION("what was over when it stopped") {
        session s{stopped};
        s.close(asio::bind_executor(strand, note));
        stopped.run_one(); // the session closes
        REQUIRE(s.state() == session_state::closed);
        stopped.stop();
        elsewhere.run_for(10s);
        CHECK(told == error_code{});
    }
    SECTION("by a type-erased executor") {
        session s{stopped};
        s.close(asio::bind_executor(asio::any_io_executor(strand), note));
        stopped.run_one();
        stopped.stop();
        elsewhere.run_for(10s);
        CHECK(told == error_code{});
    }
}

TEST_CASE("a handler elsewhere is never called by the function that starts its operation") {
    asio::io_context context;
    session s{context, bad_options()};
    int calls = 0;
    const auto note = [&](error_code) { ++calls; };
    asio::post(context, [&] {
        s.connect(note);
        s.connect(asio::bind_executor(context, note));
        s.connect(asio::bind_executor(asio::make_strand(context), note));
        s.connect(
            asio::any_completion_handler<void(error_code)>(asio::bind_executor(context, note)));
        CHECK(calls == 0);
    });
    context.run();
    CHECK(calls == 4);
}

TEST_CASE("a cancelled connect leaves a session that goes on connecting, without its limit") {
    asio::io_context context;
    session s{context, nobody_there()};
    asio::cancellation_signal cancel;
    std::optional<error_code> cancelled;
    s.connect(
        asio::bind_cancellation_slot(cancel.slot(), [&](error_code code) { cancelled = code; }));
    context.poll();
    cancel.emit(asio::cancellation_type::terminal);
    SECTION("nobody else awaits one") {
        context.run_for(300ms); // connect_timeout three times over
        CHECK(cancelled == asio::error::operation_aborted);
        CHECK(s.state() == session_state::connecting);
    }
    SECTION("another awaits one, and is told of its limit") {
        std::optional<error_code> other;
        s.connect([&](error_code code) { other = code; });
        while (!other)
            context.run_one();
        CHECK(cancelled == asio::error::operation_aborted);
        CHECK(other == error::connect_timeout);
        CHECK(s.state() == session_state::idle);
    }
}

TEST_CASE("a bad option is named by the diagnostics, by an exception with them, and in the log") {
    asio::io_context context;
    auto options = bad_options();
    std::string logged;
    options.log.sink = [&](log_level level, std::string_view text) {
        CHECK(level == log_level::error);
        logged += text;
    };
    session s{context, options};
    const std::string words = "timeout = 0 ms is out of range 200 ms to 3600000 ms: ";
    diagnostics diag;
    std::optional<error_code> code;
    s.connect(with_diagnostics(diag, [&](error_code result) { code = result; }));
    auto future = s.connect(with_diagnostics(asio::use_future));
    context.run();
    CHECK(code == error::bad_options);
    CHECK(diag.cause.starts_with(words));
    CHECK(logged.starts_with("no session: " + words));
    try {
        future.get();
        FAIL("it did not throw");
    } catch (const error_with_diagnostics& e) {
        CHECK(e.code() == error::bad_options);
        CHECK(std::string(e.what()).find(words) != std::string::npos);
    }
}
