// SPDX-License-Identifier: BSL-1.0
// Who leads, as candidates and observers see it.
#include "integration/support/cancel_support.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"

namespace {
/// Two candidates, and an observer that may be cut off.
struct election_stage : fixture {
    const std::string path = fresh_path("election");
    frame_proxy proxy{shared_server().port()};
    session one{context, options_for()};
    session two{context, options_for()};
    session eyes{context, options_for(proxy.address())};
    election first{one, path};
    election second{two, path};
    election seen{eyes, path};
    std::vector<std::string> values; // of the leaders, in the order in which they were told
    leader_info last{};

    void observe() {
        spawn([this]() -> asio::awaitable<void> {
            for (;;) {
                const auto [failed, leader] = co_await seen.observe(last, tried);
                if (failed)
                    co_return;
                last = leader;
                values.push_back(last ? last.value : "nobody");
            }
        });
    }
    void run_until_seen(const std::string& value) {
        run_until([&] { return !values.empty() && values.back() == value; });
    }
    held_lock lead(election& by, const std::string& value) {
        probe done;
        by.campaign(value, done.make());
        REQUIRE(end_of(*this, done) == error_code{});
        return std::move(done.lock());
    }
    error_code outcome(auto start) { return result_of(*this, start); }
};

} // namespace

TEST_CASE("an observer is told each leader, with its value and token") {
    election_stage f;
    f.observe();
    auto lock = f.lead(f.first, "a\n100%");
    f.run_until_seen("a\n100%");
    CHECK(f.last.fencing_token == lock.fencing_token());
    CHECK(f.last.session_id == f.one.id());
    CHECK_FALSE(f.last.host.empty());
    CHECK(f.last.since > std::chrono::system_clock::now() - 1h);
    probe next;
    f.second.campaign("b", next.make());
    f.run_until([&] { return children_of(f.path).size() == 2; });
    lock = {};
    f.run_until_seen("b");
    f.run_until([&] { return next.done(); }); // an observer may know before the leader
    next.lock() = {};
    f.run_until_seen("nobody");
    CHECK(f.values == std::vector<std::string>{"a\n100%", "b", "nobody"});
}

TEST_CASE("an election that was never held has no leader, and its first one is seen") {
    election_stage f;
    f.run([&]() -> asio::awaitable<void> {
        const auto leader = co_await f.seen.get_leader();
        CHECK_FALSE(leader);
    });
    f.observe();
    f.context.poll();
    const auto lock = f.lead(f.first, "");
    f.run_until_seen("");
    CHECK(f.last.session_id == f.one.id());
}

TEST_CASE("a leader proclaims another value, and the next leader has its own") {
    election_stage f;
    f.observe();
    auto lock = f.lead(f.first, "a");
    f.run_until_seen("a");
    CHECK(f.outcome([&](auto t) { lock.proclaim("a2", std::move(t)); }) == error_code{});
    f.run_until_seen("a2");
    CHECK(f.outcome([&](auto t) { lock.proclaim("a3", std::move(t)); }) == error_code{});
    f.run_until_seen("a3");
    CHECK(f.outcome([&](auto t) { lock.release(std::move(t)); }) == error_code{});
    CHECK(f.outcome([&](auto t) { lock.proclaim("a4", std::move(t)); }) == error::not_held);
    auto next = f.lead(f.second, "b");
    f.run_until_seen("b");
    CHECK(f.outcome([&](auto t) { next.proclaim("b2", std::move(t)); }) == error_code{});
    f.run_until_seen("b2");
    std::optional<leader_info> leader; // without a watch
    f.first.get_leader([&](error_code failed, const leader_info& found) {
        CHECK_FALSE(failed);
        leader = found;
    });
    f.run_until([&] { return leader.has_value(); });
    CHECK(leader->value == "b2");
    CHECK(leader->fencing_token == next.fencing_token());
}

TEST_CASE("a leader whose ticket was deleted proclaims nothing") {
    election_stage f;
    auto lock = f.lead(f.first, "a");
    delete_tickets(f.path);
    CHECK(f.outcome([&](auto t) { lock.proclaim("a2", std::move(t)); }) == error::ticket_deleted);
    CHECK(foreign_client{shared_server().address()}.exists(f.path + "%leader") == -101);
}

TEST_CASE("a leadership alone has a value that can be proclaimed") {
    election_stage f;
    mutex plain{f.one, f.path};
    single_node_mutex single{f.one, fresh_path("single")};
    semaphore permits{f.one, fresh_path("permits"), 2};
    multi_lock several{plain, mutex{f.one, fresh_path("other")}};
    held_lock lock;
    SECTION("several locks have no leader") { lock = acquire_now(f, several); }
    SECTION("a lock of one node has none") { lock = acquire_now(f, single); }
    SECTION("permits have none") { lock = acquire_now(f, permits); }
    CHECK(f.outcome([&](auto t) { lock.proclaim("x", std::move(t)); }) ==
          asio::error::operation_not_supported);
    lock = {};
    lock = acquire_now(f, plain); // a candidate without a value, until now
    CHECK(f.outcome([&](auto t) { lock.proclaim("x", std::move(t)); }) == error_code{});
    f.run([&]() -> asio::awaitable<void> { CHECK((co_await f.seen.get_leader()).value == "x"); });
}

TEST_CASE("an observer that was cut off ends with the last leader") {
    election_stage f;
    f.observe();
    auto lock = f.lead(f.first, "a");
    f.run_until_seen("a");
    f.proxy.set_outage(true);
    f.proxy.cut_all();
    f.run_until([&] { return f.eyes.state() == session_state::suspended; });
    SECTION("that came meanwhile") {
        lock = {};
        auto other = f.lead(f.second, "b");
        other = {};
        lock = f.lead(f.first, "c");
        f.proxy.set_outage(false);
        f.run_until_seen("c");
        CHECK(f.values == std::vector<std::string>{"a", "c"});
    }
    SECTION("that is the same, and is told once") {
        f.proxy.set_outage(false);
        f.run_until([&] { return f.eyes.state() == session_state::connected; });
        CHECK(f.outcome([&](auto t) { lock.proclaim("a2", std::move(t)); }) == error_code{});
        f.run_until_seen("a2");
        CHECK(f.values == std::vector<std::string>{"a", "a2"});
    }
}

TEST_CASE("an observer whose session expired goes on with the next") {
    election_stage f;
    f.observe();
    auto lock = f.lead(f.first, "a");
    f.run_until_seen("a");
    const auto before = f.eyes.id();
    const auto key = f.eyes.key();
    CHECK(f.outcome([&](auto t) { end_session(f.context.get_executor(), key, std::move(t)); }) ==
          error_code{});
    f.run_until([&] { return f.eyes.id() != 0 && f.eyes.id() != before; });
    lock = {};
    lock = f.lead(f.second, "b");
    f.run_until_seen("b");
}

TEST_CASE("the observer of a node that only looks like a ticket sees nobody lead") {
    election_stage f;
    foreign_client other{shared_server().address()};
    auto made = f.lead(f.first, "a"); // and so the path
    made = {};
    f.run_until([&] { return children_of(f.path).empty(); });
    REQUIRE(other.create(f.path + "/turn-1-lock-0000000000", "", create_mode::persistent) == 0);
    f.run([&]() -> asio::awaitable<void> {
        const auto leader = co_await f.seen.get_leader();
        CHECK_FALSE(leader);
    });
}

TEST_CASE("an observer that is cancelled, or whose object goes, is answered") {
    election_stage f;
    asio::cancellation_signal stop;
    std::vector<error_code> ends;
    const auto end = [&](error_code failed, const leader_info&) { ends.push_back(failed); };
    f.seen.observe({}, asio::bind_cancellation_slot(stop.slot(), end));
    f.run_until([&] { return f.eyes.state() == session_state::connected; });
    stop.emit(asio::cancellation_type::terminal);
    f.run_until([&] { return ends.size() == 1; });
    f.seen.observe({}, end);
    f.context.poll();
    f.seen = election{f.eyes, f.path + "-other"};
    f.run_until([&] { return ends.size() == 2; });
    CHECK(ends == std::vector<error_code>{aborted, aborted});
}
