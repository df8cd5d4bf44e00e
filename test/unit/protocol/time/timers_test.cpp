// SPDX-License-Identifier: BSL-1.0
// Pending instants, and callbacks that set and cancel others while they run.
#include "protocol/time/timers.hpp"

#include "support/pch.hpp"

#include <memory>
#include <string>

using namespace turnstile::protocol;
using namespace std::chrono_literals;

namespace {

void run(timers& clock, instant now) {
    while (const auto due = clock.pop(now))
        (*due)();
}

} // namespace

TEST_CASE("callbacks run in the order of their instants, equal ones in the order of setting") {
    timers clock;
    std::string order;
    timer first(clock), second(clock), third(clock), fourth(clock);
    fourth.set(instant{3s}, [&] { order += 'd'; });
    first.set(instant{1s}, [&] { order += 'a'; });
    second.set(instant{2s}, [&] { order += 'b'; });
    third.set(instant{2s}, [&] { order += 'c'; });
    CHECK(clock.next() == instant{1s});
    run(clock, instant{2s});
    CHECK(order == "abc");
    CHECK(clock.next() == instant{3s});
    run(clock, instant{3s});
    CHECK(order == "abcd");
    CHECK_FALSE(clock.next());
}

TEST_CASE("a callback is due at its instant, not a nanosecond before") {
    timers clock;
    int runs = 0;
    timer entry(clock);
    entry.set(instant{1s}, [&] { ++runs; });
    run(clock, instant{1s} - 1ns);
    CHECK(runs == 0);
    run(clock, instant{1s});
    CHECK(runs == 1);
    run(clock, instant{9s});
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
    run(clock, instant{9s});
    CHECK_FALSE(ran);
}

TEST_CASE("setting a timer again replaces what was set before") {
    timers clock;
    timer entry(clock);
    std::string order;
    entry.set(instant{1s}, [&] { order += 'a'; });
    entry.set(instant{2s}, [&] { order += 'b'; });
    CHECK(entry.due() == instant{2s});
    run(clock, instant{1s});
    CHECK(entry.pending());
    run(clock, instant{2s});
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
    run(clock, instant{9s});
    CHECK(runs == 3);
}

TEST_CASE("a callback may cancel one that is due at the same instant") {
    timers clock;
    timer first(clock);
    timer second(clock);
    bool ran = false;
    second.set(instant{1s}, [&] { ran = true; });
    first.set(instant{1s} - 1ns, [&] { second.cancel(); });
    run(clock, instant{1s});
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
    run(clock, instant{1s});
    CHECK(ran);
    CHECK_FALSE(clock.next());
}
