// SPDX-License-Identifier: BSL-1.0
// Acquires that ask those before them to let go.
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"

#include <list>

namespace {

struct asking_stage : fixture {
    const std::string path = fresh_path("asking");
    session here{context, options_for()};
    session there{context, options_for()};
    mutex ours{here, path};
    mutex theirs{there, path};
    foreign_client other{shared_server().address()};
    std::vector<std::string> heard; // by whom, and why

    /// Holds the lock until it is asked.
    void hold(const std::string& name, mutex& lock) {
        spawn([this, name, &lock]() -> asio::awaitable<void> {
            auto held = co_await lock.acquire();
            const auto [failed, asked] = co_await held.wait_yield(tried);
            heard.push_back(name + (failed ? " ends: " + failed.message() : ": " + asked.reason));
            co_await held.release();
        });
    }
    std::size_t line() const { return children_of(path).size(); }
    bool is_asked() { return other.exists(path + "%yield") == 0; }
};

} // namespace

TEST_CASE("an acquire that asks gets the lock from each that holds it before") {
    asking_stage f;
    f.hold("first", f.theirs);
    f.run_until([&] { return f.line() == 1; });
    f.hold("second", f.ours); // of the same session as the one that asks
    f.run_until([&] { return f.line() == 2; });
    f.run([&]() -> asio::awaitable<void> {
        auto lock = co_await f.ours.asking("taken over").acquire();
        CHECK(f.heard == std::vector<std::string>{"first: taken over", "second: taken over"});
        lock.wait_yield([&](error_code failed, const yield_request&) {
            if (!failed)
                f.heard.emplace_back("itself");
        });
        while (f.is_asked()) // what asked goes
            co_await asio::post(f.context, asio::use_awaitable);
        co_await lock.release();
    });
    f.run_spawned();
    CHECK(f.heard.size() == 2);
}

TEST_CASE("a lock that is free is taken without a request to yield, and at no cost") {
    asking_stage f;
    auto lock = acquire_now(f, f.ours.asking("now"));
    CHECK(f.ours.usage().acquires == 1);
    CHECK_FALSE(f.is_asked());
    release_now(f, lock);
}

TEST_CASE("an acquire that asks and gives up takes its request back") {
    asking_stage f;
    auto held = acquire_now(f, f.theirs);
    cancellable asks;
    const auto view = f.ours.asking("perhaps");
    const bool by_limit = GENERATE(true, false);
    if (by_limit)
        view.acquire_for(std::chrono::milliseconds(200), asks.make());
    else
        view.acquire(asks.token());
    f.run_until([&] { return f.is_asked() || asks.done(); });
    if (!by_limit)
        asks.cancel();
    f.run_until([&] { return asks.done() && !f.is_asked() && f.line() == 1; });
    CHECK(asks.code() == (by_limit ? error_code(error::timeout) : aborted));
    CHECK(held.is_held());
}

TEST_CASE("an acquire waits where nobody may be asked, and the log says so") {
    asking_stage f;
    const auto path = f.path + "/inner";
    f.other.create("/locks");
    REQUIRE(f.other.create(f.path) == 0);
    REQUIRE(f.other.create(path) == 0);
    REQUIRE(f.other.set_acl(f.path, {{"world", "anyone", 31 & ~4}}) == 0); // CREATE
    std::string said;
    auto options = options_for();
    options.log.sink = [&](log_level level, std::string_view text) {
        if (level == log_level::warning)
            said += text;
    };
    session s{f.context, options};
    mutex theirs{f.there, path};
    mutex ours{s, path};
    auto held = acquire_now(f, theirs);
    probe asks;
    ours.asking("why").acquire(asks.make());
    f.run_until([&] { return !said.empty(); });
    CHECK(said.find("the holder of " + path + " cannot be asked to let go: ") != said.npos);
    held = {};
    CHECK(end_of(f, asks) == error_code());
}

TEST_CASE("a session that closes while an acquire asks warns of no denial") {
    asking_stage f;
    std::string said;
    auto options = options_for();
    options.log.sink = [&](log_level, std::string_view text) { said += text; };
    session s{f.context, options};
    mutex ours{s, f.path};
    auto held = acquire_now(f, f.theirs);
    probe asks;
    probe asked;
    ours.asking("why").acquire(asks.make());
    f.run_until([&] { return f.is_asked(); });
    ours.ask_to_yield("and why", asked.make());
    CHECK(result_of(f, [&](auto t) { s.close(std::move(t)); }) == error_code());
    f.run_until([&] { return asks.done() && asked.done(); });
    CHECK(said.find("cannot be asked") == said.npos);
}

TEST_CASE("nobody is asked for permits, nor for a lock of one node") {
    asking_stage f;
    semaphore pool{f.here, f.path + "-pool", 3};
    single_node_mutex door{f.here, f.path + "-door"};
    for (const auto& view : {lock_view(pool).asking("why"), door.asking("why"),
                             door.asking("why").at_most(std::chrono::hours{1})})
        CHECK(result_of(f, [&](auto t) { view.acquire(std::move(t)); }) ==
              asio::error::operation_not_supported);
}
