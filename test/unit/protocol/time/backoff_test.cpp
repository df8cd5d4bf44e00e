// SPDX-License-Identifier: BSL-1.0
// Delays between connection attempts.
#include "protocol/time/backoff.hpp"

#include "support/pch.hpp"

#include <random>

using namespace turnstile::protocol;
using namespace std::chrono_literals;

namespace {

std::uint64_t lowest() { return 0; }

// The bounds of the first delays of 50 ms to 2 s.
constexpr std::array<duration, 8> bounds{50ms, 100ms, 200ms, 400ms, 800ms, 1600ms, 2000ms, 2000ms};

} // namespace

TEST_CASE("the bound doubles with each delay up to the longest") {
    backoff delays{50ms, 2s};
    for (const auto bound : bounds)
        CHECK(delays.next(lowest) == bound / 2);
}

TEST_CASE("a delay lies between half the bound and the bound, both reached") {
    const auto edge = GENERATE(0, 1);
    backoff delays{50ms, 2s};
    for (const auto bound : bounds) {
        const auto half = static_cast<std::uint64_t>((bound / 2).count());
        CHECK(delays.next([&] { return edge ? half : half + 1; }) == (edge ? bound : bound / 2));
    }
}

TEST_CASE("delays are drawn over the whole range") {
    std::mt19937_64 engine(7);
    std::set<duration::rep> tenths;
    for (int i = 0; i < 1000; ++i) {
        backoff delays{100ms, 2s};
        const auto delay = delays.next([&] { return engine(); });
        CHECK(delay >= 50ms);
        CHECK(delay <= 100ms);
        tenths.insert((delay - 50ms) / 5ms);
    }
    CHECK(tenths.size() >= 10);
}

TEST_CASE("after a reset the first bound counts again") {
    backoff delays{50ms, 2s};
    for (int i = 0; i < 6; ++i)
        delays.next(lowest);
    delays.reset();
    CHECK(delays.next(lowest) == 25ms);
    CHECK(delays.next(lowest) == 50ms);
}

TEST_CASE("a longest delay below the shortest gives way to it") {
    backoff delays{100ms, 10ms};
    CHECK(delays.next(lowest) == 50ms);
    CHECK(delays.next(lowest) == 50ms);
}

TEST_CASE("a delay can be kept below a bound, and the next ones go on from where they would be") {
    backoff delays{50ms, 2s};
    CHECK(delays.next(lowest, 120ms) == 25ms);
    CHECK(delays.next(lowest, 120ms) == 50ms);
    CHECK(delays.next(lowest, 120ms) == 60ms);
    CHECK(delays.next(lowest, 10ms) == 25ms); // not below the shortest
    CHECK(delays.next(lowest) == 400ms);
}
