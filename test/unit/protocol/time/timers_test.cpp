// SPDX-License-Identifier: BSL-1.0
// Pending instants, and callbacks that set and cancel others while they run.
#include "protocol/time/timers.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace std::chrono_literals;

TEST_CASE("callbacks run in the order of their instants, equal ones in the order of setting") {
    timers clock;
    std::string order;
    timer first(clock), second(clock), third(clock), fourth(clock);
    fourth.set(instant{3s}, [&] { order += 'd'; });
    first.set(instant{1s}, [&] { order += 'a'; });
    second.set(instant{2s}, [&] { order += 'b'; });
    third.set(instant{2s}, [&] { order += 'c'; });
    CHECK(clock.next() == instant{1s});
    clock.run_due(instant{2s});
    CHECK(order == "abc");
    CHECK(clock.next() == instant{3s});
    clock.run_due(instant{3s});
    CHECK(order == "abcd");
    CHECK_FALSE(clock.next());
}

TEST_CASE("a callback is due at its instant, not a nanosecond before") {
    timers clock;
    int runs = 0;
    timer entry(clock);
    entry.set(instant{1s}, [&] { ++runs; });
    clock.run_due(instant{1s} - 1ns);
    CHECK(runs == 0);
    clock.run_due(instant{1s});
    CHECK(runs == 1);
    clock.run_due(instant{9s});
    CHECK(runs == 1);
}

TEST_CASE("a timer that goes takes its entry along") {
    timers clock;
    bool ran = false;
    {
        timer entry(clock);
        entry.set(instant{1s}, [&] { ran = true; });
        CHECK(clock.next() == instant{1s});
    }
    CHECK_FALSE(clock.next());
    clock.run_due(instant{9s});
    CHECK_FALSE(ran);
}

TEST_CASE("setting a timer again replaces what was set before") {
    timers clock;
    timer entry(clock);
    std::string order;
    entry.set(instant{1s}, [&] { order += 'a'; });
    entry.set(instant{2s}, [&] { order += 'b'; });
    CHECK(entry.due() == instant{2s});
    clock.run_due(instant{1s});
    CHECK(entry.pending());
    clock.run_due(instant{2s});
    CHECK(order == "b");
    CHECK_FALSE(entry.pending());
    CHECK_FALSE(entry.due());
}

TEST_CASE("a callback may set its own timer again") {
    timers clock;
    timer entry(clock);
    int runs = 0;
    std::function<void()> tick = [&] {
        CHECK_FALSE(entry.pending());
        if (++runs < 3)
            entry.set(instant{} + runs * 1s, [&tick] { tick(); });
    };
    entry.set(instant{}, [&tick] { tick(); });
    clock.run_due(instant{9s});
    CHECK(runs == 3);
}

TEST_CASE("a callback may cancel one that is due at the same instant") {
    timers clock;
    timer first(clock);
    timer second(clock);
    bool ran = false;
    second.set(instant{1s}, [&] { ran = true; });
    first.set(instant{1s} - 1ns, [&] { second.cancel(); });
    clock.run_due(instant{1s});
    CHECK_FALSE(ran);
}

TEST_CASE("a callback may destroy its own timer") {
    timers clock;
    auto entry = std::make_unique<timer>(clock);
    bool ran = false;
    entry->set(instant{1s}, [&] {
        entry.reset();
        ran = true;
    });
    clock.run_due(instant{1s});
    CHECK(ran);
    CHECK_FALSE(clock.next());
}
