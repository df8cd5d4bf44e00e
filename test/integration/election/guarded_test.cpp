// SPDX-License-Identifier: BSL-1.0
// Writes that only the holder of a lock can make.
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"

namespace {

const error_code no_node(-101, zookeeper_category());
const error_code bad_version(-103, zookeeper_category());

/// A lock, and a counter beside it.
struct counter_stage : fixture {
    const std::string path = fresh_path("guarded");
    const std::string counter = path + ".counter";
    session here{context, options_for()};
    session there{context, options_for()};
    mutex ours{here, path};
    mutex theirs{there, path};

    asio::awaitable<std::string> value() { co_return (co_await here.read(counter)).data; }
};

} // namespace

TEST_CASE("a holder writes, and reads what it wrote") {
    counter_stage f;
    f.run([&]() -> asio::awaitable<void> {
        auto lock = co_await f.ours.acquire();
        const auto made = co_await lock.write_guarded(node_writes().create(f.counter, "1"));
        CHECK(made.size() == 1);
        const auto set =
            co_await lock.write_guarded(node_writes().check(f.counter, 0).set(f.counter, "2", 0));
        CHECK(set.at(1).version == 1);
        const auto found = co_await f.here.read(f.counter);
        CHECK(found.data == "2");
        CHECK(found.version == 1);
        CHECK(found.changed > std::chrono::system_clock::now() - 1h);
        (void)co_await lock.write_guarded(node_writes().remove(f.counter));
        diagnostics told;
        const auto [gone, nothing] = co_await f.here.read(f.counter, with_diagnostics(told, tried));
        CHECK(gone == no_node);
        CHECK(told.path == f.counter);
    });
}

TEST_CASE("a guarded write whose ticket was deleted writes nothing, and the lock is lost") {
    counter_stage f;
    f.run([&]() -> asio::awaitable<void> {
        auto lock = co_await f.ours.acquire();
        delete_tickets(f.path);
        const auto [failed, results] =
            co_await lock.write_guarded(node_writes().create(f.counter, "1"), tried);
        CHECK(failed == error::ticket_deleted);
        CHECK(results.empty());
        const auto [gone, nothing] = co_await f.here.read(f.counter, tried);
        CHECK(gone == no_node);
        const auto [lost] = co_await lock.wait_lost(tried);
        CHECK(lost == error::ticket_deleted);
        const auto [again, none] = co_await lock.write_guarded(node_writes(), tried);
        CHECK(again == error::ticket_deleted);
    });
}

TEST_CASE("a write that one of its steps refuses writes nothing, and says which") {
    counter_stage f;
    f.run([&]() -> asio::awaitable<void> {
        auto lock = co_await f.ours.acquire();
        diagnostics told;
        const auto [failed, results] = co_await lock.write_guarded(
            node_writes().create(f.counter, "1").set(f.counter, "2", 7).remove(f.counter),
            with_diagnostics(told, tried));
        CHECK(told.path == f.counter); // of the write, and not of the lock
        CHECK(told.cause == "set of " + f.counter + ", version 7: write 2 of 3 was refused");
        CHECK(failed == bad_version);
        REQUIRE(results.size() == 3);
        CHECK_FALSE(results[0].failed);
        CHECK(results[1].failed == bad_version);
        CHECK(results[2].failed);
        CHECK(lock.is_held());
        const auto [gone, nothing] = co_await f.here.read(f.counter, tried);
        CHECK(gone == no_node);
    });
}

TEST_CASE("what is not held writes nothing") {
    counter_stage f;
    f.run([&]() -> asio::awaitable<void> {
        held_lock nothing;
        const auto [empty, no_results] = co_await nothing.write_guarded(node_writes(), tried);
        CHECK(empty == error::not_held);
        auto lock = co_await f.ours.acquire();
        auto other = lock.share();
        co_await lock.release();
        (void)co_await other.write_guarded(
            node_writes().create(f.counter, "1")); // by the other handle
        co_await f.here.close();
        const auto [closed, none] = co_await other.write_guarded(node_writes(), tried);
        CHECK(closed == error::session_closed);
    });
}

TEST_CASE("a guarded write is refused where its paths are bad") {
    counter_stage f;
    const std::vector bad_ones{node_writes().set(f.path, ""), node_writes().remove(f.path + "/x"),
                               node_writes().create("no/slash", ""),
                               node_writes().check(f.counter, -2)};
    f.run([&]() -> asio::awaitable<void> {
        auto lock = co_await f.ours.acquire();
        for (const auto& bad : bad_ones) {
            diagnostics told;
            const auto [failed, results] =
                co_await lock.write_guarded(bad, with_diagnostics(told, tried));
            CHECK(failed == asio::error::invalid_argument);
            CHECK(told.cause.find(bad.all().front().path) != std::string::npos);
        }
    });
}

TEST_CASE("each kind of lock with a line guards its writes") {
    counter_stage f;
    shared_mutex catalogue{f.here, f.path + "-shared"};
    mutex other{f.here, f.path + "-other"};
    semaphore pool{f.here, f.path + "-pool", 3};
    multi_lock both{f.ours, other};
    f.run([&]() -> asio::awaitable<void> {
        (void)co_await (co_await f.ours.acquire())
            .write_guarded(node_writes().create(f.counter, ""));
        {
            auto lock = co_await catalogue.shared().acquire();
            (void)co_await lock.write_guarded(node_writes().set(f.counter, "shared"));
            delete_tickets(f.path + "-shared");
            const auto [failed, none] =
                co_await lock.write_guarded(node_writes().set(f.counter, "lost"), tried);
            CHECK(failed == error::ticket_deleted);
        }
        {
            auto lock = co_await pool.permits(2).acquire();
            (void)co_await lock.write_guarded(node_writes().set(f.counter, "pool"));
            delete_tickets(f.path + "-pool/leases");
            const auto [failed, none] =
                co_await lock.write_guarded(node_writes().set(f.counter, "lost"), tried);
            CHECK(failed == error::ticket_deleted);
        }
        {
            auto lock = co_await both.acquire();
            (void)co_await lock.write_guarded(node_writes().set(f.counter, "both"));
            delete_tickets(f.path + "-other");
            const auto [failed, none] =
                co_await lock.write_guarded(node_writes().set(f.counter, "lost"), tried);
            CHECK(failed == error::ticket_deleted);
        }
        const auto left = co_await f.value();
        CHECK(left == "both");
    });
}

TEST_CASE("a single_node_mutex guards no writes, alone or as a part, and says so") {
    counter_stage f;
    single_node_mutex door{f.here, f.path + "-door"};
    multi_lock both{f.ours, door};
    const bool alone = GENERATE(true, false);
    f.run([&]() -> asio::awaitable<void> {
        held_lock lock;
        if (alone)
            lock = co_await door.acquire();
        else
            lock = co_await both.acquire();
        diagnostics told;
        const auto [failed, none] = co_await lock.write_guarded(node_writes().create(f.counter, ""),
                                                                with_diagnostics(told, tried));
        CHECK(failed == asio::error::operation_not_supported);
        CHECK(none.empty());
        CHECK(told.cause == f.path + "-door: a single_node_mutex guards no writes; take a mutex");
        CHECK(lock.is_held());
    });
}

TEST_CASE("a guarded write whose answer is lost says that its outcome is unknown") {
    counter_stage f;
    frame_proxy proxy{shared_server().port()};
    session s{f.context, options_for(proxy.address())};
    mutex lock_of{s, f.path};
    f.run([&]() -> asio::awaitable<void> {
        auto lock = co_await lock_of.acquire();
        const auto cut =
            proxy.add_rule({.op = op::multi, .part = op::check, .action = action::cut_after});
        const auto [failed, results] =
            co_await lock.write_guarded(node_writes().create(f.counter, "1"), tried);
        CHECK(failed == error::outcome_unknown);
        CHECK(results.empty());
        proxy.remove_rule(cut);
        const auto found = co_await s.read(f.counter); // and it was carried out
        CHECK(found.data == "1");
        CHECK(lock.is_held());
    });
}

TEST_CASE("a guarded write that waits for a connection is refused once the lock is released") {
    counter_stage f;
    frame_proxy proxy{shared_server().port()};
    session s{f.context, options_for(proxy.address())};
    mutex lock_of{s, f.path};
    auto lock = acquire_now(f, lock_of);
    proxy.set_outage(true);
    proxy.cut_all();
    f.run_until([&] { return s.state() == session_state::suspended; });
    std::optional<error_code> outcome;
    lock.write_guarded(
        node_writes().create(f.counter, "1"),
        [&](error_code failed, const std::vector<node_result>&) { outcome = failed; });
    f.context.poll();
    CHECK_FALSE(outcome);
    lock = {};
    f.run_until([&] { return outcome.has_value(); });
    CHECK(outcome == error::not_held);
    proxy.set_outage(false);
}

TEST_CASE("a lock that was held for too long writes nothing, though its ticket still stands") {
    counter_stage f;
    const auto limited = f.ours.at_most(200ms);
    f.run([&]() -> asio::awaitable<void> {
        auto lock = co_await lock_view(limited).acquire();
        const auto [lost] = co_await lock.wait_lost(tried);
        CHECK(lost == error::held_too_long);
        const auto [failed, none] =
            co_await lock.write_guarded(node_writes().create(f.counter, ""), tried);
        CHECK(failed == error::held_too_long);
        const auto [gone, nothing] = co_await f.here.read(f.counter, tried);
        CHECK(gone == no_node);
    });
}
