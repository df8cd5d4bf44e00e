// SPDX-License-Identifier: BSL-1.0
// What a failure says beside its code, where there is no server: with each kind of token.
#include <turnstile.hpp>

#include "support/pch.hpp"

#include <boost/asio/any_completion_handler.hpp>

namespace asio = boost::asio;
using namespace turnstile;
using namespace std::chrono_literals;

namespace {

// Nobody listens at port 1.
session_options no_server_there() {
    session_options options;
    options.servers = "127.0.0.1:1";
    options.connect_timeout = 100ms;
    options.unreachable_limit = 50ms;
    options.log.level = log_level::none;
    return options;
}

struct unserved {
    asio::io_context context;
    session s{context, no_server_there()};
    mutex lock{s, "/locks/orders"};

    void spawn(std::function<asio::awaitable<void>()> what) {
        asio::co_spawn(context, std::move(what), [this](const std::exception_ptr& error) {
            over = true;
            if (error)
                std::rethrow_exception(error);
        });
        while (!over)
            context.run_one();
    }
    bool over = false;
};

void check_refused(const diagnostics& what) {
    CHECK(what.path == "/locks/orders");
    CHECK(what.server == "127.0.0.1:1");
    CHECK(what.cause == "Connection refused");
}

void check_thrown(const std::exception_ptr& error) {
    REQUIRE(error);
    try {
        std::rethrow_exception(error);
    } catch (const error_with_diagnostics& e) {
        CHECK(e.code() == error::unreachable);
        check_refused(e.details());
        CHECK(std::string_view(e.what()).starts_with(
            "lock path /locks/orders, server 127.0.0.1:1, last cause: Connection refused: "));
    }
}

} // namespace

TEST_CASE("diagnostics print what is known, in one line") {
    diagnostics what;
    CHECK(what.str().empty());
    what.server = "zk1:2181";
    CHECK(what.str() == "server zk1:2181");
    what = {.path = "/l", .server = "zk1:2181", .cause = "Connection refused"};
    std::ostringstream text;
    text << what;
    CHECK(text.str() == "lock path /l, server zk1:2181, last cause: Connection refused");
    what.clear();
    CHECK(what == diagnostics{});
}

TEST_CASE("an acquire that no server answers says which server, and why") {
    unserved t;
    diagnostics told{.path = "old", .server = "old", .cause = "old"};
    std::optional<error_code> result;
    t.lock.acquire(
        with_diagnostics(told, [&](error_code code, const held_lock&) { result = code; }));
    while (!result)
        t.context.run_one();
    CHECK(result == error::unreachable);
    check_refused(told);
}

TEST_CASE("a connect says which server, and why, and has no path") {
    unserved t;
    diagnostics told;
    std::optional<error_code> result;
    t.s.connect(with_diagnostics(told, [&](error_code code) { result = code; }));
    while (!result)
        t.context.run_one();
    CHECK(result == error::connect_timeout);
    CHECK(told.path.empty());
    CHECK(told.str() == "server 127.0.0.1:1, last cause: Connection refused");
}

TEST_CASE("a refusal without any I/O says the path and what is wrong with it, and no server") {
    asio::io_context context;
    session s{context, no_server_there()};
    mutex lock{s, "/locks/../orders"};
    diagnostics told;
    std::optional<error_code> result;
    lock.try_acquire(
        with_diagnostics(told, [&](error_code code, const held_lock&) { result = code; }));
    context.poll();
    CHECK(result == error::bad_path);
    CHECK(told == diagnostics{.path = "/locks/../orders",
                              .cause = "\"/locks/../orders\" is a bad lock path: "
                                       "a part of it is '.' or '..'"});
}

TEST_CASE("with_diagnostics leaves executor and cancellation slot as they are") {
    unserved t;
    diagnostics told;
    std::optional<error_code> result;
    const auto strand = asio::make_strand(t.context);
    asio::cancellation_signal stop;
    auto token = with_diagnostics(
        told, asio::bind_cancellation_slot(
                  stop.slot(), asio::bind_executor(strand, [&](error_code code, const held_lock&) {
                      CHECK(strand.running_in_this_thread());
                      result = code;
                  })));
    SECTION("the operation itself") { t.lock.acquire(std::move(token)); }
    SECTION("a deferred operation") { t.lock.acquire(asio::deferred)(std::move(token)); }
    stop.emit(asio::cancellation_type::total);
    while (!result)
        t.context.run_one();
    CHECK(result == asio::error::operation_aborted);
    CHECK(told.path == "/locks/orders");
}

TEST_CASE("the exception of with_diagnostics says what is known, with every kind of token") {
    unserved t;
    SECTION("a coroutine") {
        t.spawn([&]() -> asio::awaitable<void> {
            std::exception_ptr error;
            try {
                const auto none = co_await t.lock.acquire(with_diagnostics());
            } catch (...) {
                error = std::current_exception();
            }
            check_thrown(error);
        });
    }
    SECTION("a future") {
        auto future = t.lock.acquire(with_diagnostics(asio::use_future));
        while (future.wait_for(0s) != std::future_status::ready)
            t.context.run_one();
        std::exception_ptr error;
        try {
            const auto none = future.get();
        } catch (...) {
            error = std::current_exception();
        }
        check_thrown(error);
    }
    SECTION("a type-erased handler") {
        std::exception_ptr error;
        t.lock.acquire(
            with_diagnostics(asio::any_completion_handler<void(std::exception_ptr, held_lock)>(
                [&](std::exception_ptr what, const held_lock&) { error = std::move(what); })));
        while (!error)
            t.context.run_one();
        check_thrown(error);
    }
}

TEST_CASE("diagnostics go with as_tuple and redirect_error") {
    unserved t;
    t.spawn([&]() -> asio::awaitable<void> {
        diagnostics told;
        const auto tuple =
            co_await t.lock.acquire(with_diagnostics(told, asio::as_tuple(asio::use_awaitable)));
        CHECK(std::get<0>(tuple) == error::unreachable);
        check_refused(told);
        told.clear();
        error_code code;
        const auto none = co_await t.lock.acquire(
            with_diagnostics(told, asio::redirect_error(asio::use_awaitable, code)));
        CHECK_FALSE(none);
        CHECK(code == error::unreachable);
        check_refused(told);
    });
}
