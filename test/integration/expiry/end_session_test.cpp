// SPDX-License-Identifier: BSL-1.0
// A session that another process ends.
#include "integration/support/cancel_support.hpp"

namespace {

session_key unheard_of(const std::string& servers, std::chrono::milliseconds timeout) {
    return {.servers = servers, .id = 0x1234'5678, .timeout = timeout};
}

} // namespace

TEST_CASE("the key of a session ends it, and what it holds goes on") {
    fixture f;
    const auto path = fresh_path("end");
    session first{f.context, options_for()};
    CHECK(first.key().id == 0);
    mutex lock{first, path};
    auto held = acquire_now(f, lock);
    const auto key = first.key();
    CHECK(key.id == first.id());
    CHECK(key.timeout == first.negotiated_timeout());
    CHECK(key.servers == options_for().servers);
    f.run([&]() -> asio::awaitable<void> {
        const auto [failed] = co_await end_session(f.context.get_executor(), key, tried);
        CHECK(failed == error_code());
        CHECK(tickets_of(path, key.id) == 0);
        const auto [why] = co_await held.wait_lost(tried); // it lives, and is told
        CHECK(why == condition::lock_lost);
        const auto [again] = co_await end_session(f.context.get_executor(), key, tried);
        CHECK(again == error_code()); // it is over
    });
}

TEST_CASE("a wrong password ends nothing") {
    fixture f;
    const auto path = fresh_path("end");
    session first{f.context, options_for()};
    mutex lock{first, path};
    auto held = acquire_now(f, lock);
    auto key = first.key();
    key.password[3] = static_cast<char>(key.password[3] + 1);
    f.run([&]() -> asio::awaitable<void> {
        (void)co_await end_session(f.context.get_executor(), key, tried);
    });
    CHECK(held.is_held());
    CHECK(tickets_of(path, first.id()) == 1);
}

TEST_CASE("a dead server in the list costs an end of a session a moment") {
    fixture f;
    session first{f.context, options_for()};
    f.run([&]() -> asio::awaitable<void> {
        co_await first.connect();
        auto key = first.key();
        key.servers = "127.0.0.1:1," + key.servers + ",127.0.0.1:2";
        const auto [failed] = co_await end_session(f.context.get_executor(), key, tried);
        CHECK(failed == error_code());
    });
}

TEST_CASE("an end of a session gives up after two timeouts, and says why") {
    fixture f;
    diagnostics told;
    f.run([&]() -> asio::awaitable<void> {
        const auto [failed] =
            co_await end_session(f.context.get_executor(), unheard_of("127.0.0.1:1", 300ms),
                                 with_diagnostics(told, tried));
        CHECK(failed == error::unreachable);
        CHECK(told.server == "127.0.0.1:1");
        CHECK(told.cause == "Connection refused");
        const auto [bad] = co_await end_session(f.context.get_executor(), unheard_of("a,,b", 300ms),
                                                with_diagnostics(told, tried));
        CHECK(bad == error::bad_servers);
        CHECK_FALSE(told.cause.empty());
        session_key none = unheard_of("127.0.0.1:1", 300ms);
        none.id = 0; // as session::key() says while there is no session
        const auto [refused] =
            co_await keep_session(f.context.get_executor(), none, with_diagnostics(told, tried));
        CHECK(refused == asio::error::invalid_argument);
        CHECK(told.cause == "the key is that of no session: its id is 0");
    });
}

TEST_CASE("an end of a session goes on if the server leaves as it is given up") {
    asio::io_context context;
    asio::io_context elsewhere;
    asio::ip::tcp::acceptor server{elsewhere, {asio::ip::address_v4::loopback(), 0}};
    server.non_blocking(true);
    const auto address = "127.0.0.1:" + std::to_string(server.local_endpoint().port());
    std::optional<error_code> result;
    end_session(context.get_executor(), unheard_of(address, 300ms),
                [&](error_code failed) { result = failed; });
    asio::ip::tcp::socket taken{elsewhere};
    for (error_code none_yet; !taken.is_open();) {
        context.poll();
        server.accept(taken, none_yet);
    }
    context.poll();
    taken.close();
    // justified: the context has both ends to look at, this one and that of its patience
    std::this_thread::sleep_for(150ms);
    context.run_for(20s);
    CHECK(result == error::unreachable);
}

TEST_CASE("an end of a session can be cancelled, and its context can go before it ends") {
    std::optional<fixture> f{std::in_place};
    cancellable cancelled;
    end_session(f->context.get_executor(), unheard_of("127.0.0.1:1", 30s), cancelled.token());
    f->run_until([&, turns = 0]() mutable { return ++turns == 5; });
    cancelled.cancel();
    CHECK(end_of(*f, cancelled) == asio::error::operation_aborted);
    f->run_out(5s);
    probe left;
    end_session(f->context.get_executor(), unheard_of("127.0.0.1:1", 30s), left.make());
    f->run_until([&, turns = 0]() mutable { return ++turns == 5; });
    f.reset();
    CHECK(left.dropped());
}
