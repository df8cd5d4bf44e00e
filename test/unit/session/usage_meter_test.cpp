// SPDX-License-Identifier: BSL-1.0
// Counters and histograms as plain values.
#include "session/usage_meter.hpp"

#include "support/pch.hpp"

#include <algorithm>

using namespace turnstile;
using namespace turnstile::detail;
using namespace std::chrono_literals;

namespace {

std::size_t bucket_of(std::chrono::nanoseconds length) {
    return histogram_meter::entry(length).bucket;
}

} // namespace

TEST_CASE("a duration is counted in the first bucket whose limit it does not exceed") {
    CHECK(std::ranges::is_sorted(duration_histogram::limits));
    CHECK(bucket_of(0ns) == 0);
    CHECK(bucket_of(-5s) == 0); // a clock that was asked too early
    CHECK(bucket_of(100us) == 0);
    CHECK(bucket_of(100us + 1ns) == 1);
    CHECK(bucket_of(1s) == 12);
    CHECK(bucket_of(300s) == 18);
    CHECK(bucket_of(301s) == 19);
}

TEST_CASE("a histogram tells the counts and the sum") {
    histogram_meter meter;
    for (const auto length : {50us, 60us, 2000us})
        meter.add(histogram_meter::entry(length));
    const auto read = meter.read();
    CHECK(read.counts[0] == 2);
    CHECK(read.counts[4] == 1);
    CHECK(read.count() == 3);
    CHECK(read.sum == 2110us);
}

TEST_CASE("what waits and what is held follows from the counters") {
    usage_meter meter;
    meter.acquires.add(10);
    meter.granted.add(5);
    meter.would_block.add();
    meter.timed_out.add();
    meter.cancelled.add();
    meter.failed.add();
    meter.released.add(2);
    meter.lost.add();
    meter.closed.add();
    CHECK(meter.read().waiting() == 1);
    CHECK(meter.read().held() == 1);
}
