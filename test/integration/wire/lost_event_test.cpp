// SPDX-License-Identifier: BSL-1.0
// A watch event that never comes delays a line, and does not stop it.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <chrono>

using namespace turnstile;
using namespace turnstile::test;

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
        is_granted_within_t(waits);
        release_now(*this, waits.lock());
    }
    void is_granted_within_t(probe& waits) {
        using std::chrono_literals::operator""s;
        const auto for_the_machine = 2s; // that runs other tests as well
        run_until([&] { return waits.done(); }, there.negotiated_timeout() + for_the_machine);
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
        f.is_granted_within_t(waits);
    }
}
