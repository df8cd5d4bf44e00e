// A watch event that never comes delays a line, and does not stop it.
#include "integration/support/cancel_support.hpp"
#include "integration/support/fault_rig.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

namespace {

/// A holder with a connection of its own; who waits is told of no event at all.
struct lost_events : fixture {
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
        run_until([&] { return waits.done(); });
        CHECK(waits.code() == error_code{});
        CHECK(waits.lock().is_held());
        release_now(*this, waits.lock());
    }

    frame_proxy proxy{"127.0.0.1", shared_server().port()};
    const std::string path = fresh_path("lost_event");
    session here{context, options_for()};
    session there{context, impatient(proxy.address())};
};

} // namespace

TEST_CASE("a waiter whose event is lost is granted all the same") {
    lost_events f;
    SECTION("of a mutex") {
        mutex ours{f.here, f.path};
        mutex theirs{f.there, f.path};
        f.next_is_granted(ours, theirs);
        CHECK(f.there.usage().missed_events == 1);
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
        theirs.acquire_shared(waits.make());
        settle(f, f.there);
        release_now(f, held);
        f.run_until([&] { return waits.done(); });
        CHECK(waits.lock().is_held());
    }
}
