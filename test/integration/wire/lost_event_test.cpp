// SPDX-License-Identifier: BSL-1.0
// A watch event that never comes delays a line, and does not stop it.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"

namespace {

/// A holder with a connection of its own; who waits is told of no event at all.
struct lost_events : fixture {
    static session_options telling(session_options options, log_record& log) {
        options.log = {.level = log_level::warning, .sink = log.sink()};
        return options;
    }

    lost_events() {
        (void)proxy.add_rule({.direction = direction::to_client,
                              .op = op::watch_event,
                              .times = 0,
                              .action = action::lose});
    }

    template <class Lock>
    void next_is_granted(Lock& ours, Lock& theirs) {
        auto held = acquire_now(*this, ours);
        probe waits;
        theirs.acquire(waits.make());
        settle(*this, there);
        CHECK_FALSE(waits.done());
        release_now(*this, held);
        is_granted_within_t(waits, there);
        release_now(*this, waits.lock());
    }
    void is_granted_within_t(probe& waits, const session& of) {
        using std::chrono_literals::operator""s;
        const auto for_the_machine = 1s; // that runs other tests as well
        REQUIRE(of.negotiated_timeout() > 0s);
        run_until([&] { return waits.done(); }, of.negotiated_timeout() + for_the_machine);
        CHECK(waits.code() == error_code{});
        CHECK(waits.lock().is_held());
    }

    frame_proxy proxy{"127.0.0.1", shared_server().port()};
    const std::string path = fresh_path("lost_event");
    session here{context, options_for()};
    log_record told;
    session there{context, telling(impatient(proxy.address()), told)};
};

} // namespace

TEST_CASE("a waiter whose event is lost is granted all the same") {
    lost_events f;
    SECTION("of a mutex") {
        mutex ours{f.here, f.path};
        mutex theirs{f.there, f.path};
        f.next_is_granted(ours, theirs);
        CHECK(f.there.usage().missed_events == 1);
        CHECK(f.told.mentions("the watch event of " + f.path + "/turn-"));
        CHECK(f.told.mentions(" never came: a server or a proxy loses events"));
    }
    SECTION("of a lock of one node") {
        single_node_mutex ours{f.here, f.path};
        single_node_mutex theirs{f.there, f.path};
        f.next_is_granted(ours, theirs);
    }
    SECTION("of a semaphore") {
        semaphore ours{f.here, f.path, 1};
        semaphore theirs{f.there, f.path, 1};
        f.next_is_granted(ours, theirs);
    }
    SECTION("of a reader") {
        shared_mutex ours{f.here, f.path};
        shared_mutex theirs{f.there, f.path};
        auto held = acquire_now(f, ours);
        probe waits;
        theirs.shared().acquire(waits.make());
        settle(f, f.there);
        release_now(f, held);
        f.is_granted_within_t(waits, f.there);
    }
}

TEST_CASE("far from the front a waiter whose event is lost is granted as soon") {
    lost_events f;
    using std::chrono_literals::operator""s;
    foreign_client others{{.address = shared_server().address(), .session_timeout = 40s}};
    REQUIRE(others.create("/locks") % 110 == 0); // made, or there already
    REQUIRE(others.create(f.path) == 0);
    SECTION("among 100 children of another program") {
        for (int child = 0; child < 100; ++child)
            REQUIRE(others.create(f.path + "/other-" + std::to_string(child)) == 0);
        mutex ours{f.here, f.path};
        mutex theirs{f.there, f.path};
        f.next_is_granted(ours, theirs);
    }
    SECTION("behind 70 readers, as a reader behind a writer that gives up") {
        for (int reader = 0; reader < 70; ++reader)
            REQUIRE(others.create(f.path + "/x__rlock__", {}, create_mode::ephemeral_sequential) ==
                    0);
        shared_mutex ours{f.here, f.path};
        shared_mutex theirs{f.there, f.path};
        cancellable writer;
        ours.acquire(writer.token());
        f.run_until([&] { return children_of(f.path).size() == 71; });
        probe waits;
        theirs.shared().acquire(waits.make());
        settle(f, f.there);
        f.run_until([&] { return children_of(f.path).size() == 72; });
        writer.cancel();
        f.run_until([&] { return children_of(f.path).size() == 71; });
        f.is_granted_within_t(waits, f.there);
        release_now(f, waits.lock());
    }
    CHECK(f.there.usage().missed_events == 1);
}

TEST_CASE("of 4,000 locks that one session waits for none waits longer where its event is lost") {
    lost_events f;
    constexpr std::size_t count = 4000;
    auto options = impatient({});
    options.ticket_bytes = std::size_t{1} << 20U; // the most that is taken
    session holds{f.context, options};
    options.servers = f.proxy.address();
    std::size_t queued = 0;
    options.observer = [&](const lock_event& what) {
        queued += what.what == lock_event::kind::queued ? 1 : 0;
    };
    session waits{f.context, options};
    std::deque<mutex> all;
    std::deque<probe> held(count);
    std::deque<probe> waiting(count);
    const auto count_done = [](const auto& probes) {
        return static_cast<std::size_t>(
            std::ranges::count_if(probes, [](const auto& each) { return each.done(); }));
    };
    for (auto& each : held)
        all.emplace_back(holds, fresh_path("many")).acquire(each.make());
    f.run_until([&] { return count_done(held) == count; });
    std::deque<mutex> theirs;
    for (std::size_t i = 0; i < count; ++i)
        theirs.emplace_back(waits, all[i].path()).acquire(waiting[i].make());
    f.run_until([&] { return queued == count; });
    settle(f, waits);
    for (const auto which : {std::size_t{0}, count / 2, count - 1}) {
        release_now(f, held[which].lock());
        f.is_granted_within_t(waiting[which], waits);
    }
}
