// SPDX-License-Identifier: BSL-1.0
// Counters and histograms as plain values.
#include "session/locks/usage_meter.hpp"

#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::detail;
using namespace std::chrono_literals;

namespace {

std::size_t bucket_of(std::chrono::nanoseconds length) {
    duration_histogram one;
    count(one, length);
    return static_cast<std::size_t>(std::ranges::find(one.counts, 1U) - one.counts.begin());
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
    usage_meter meter;
    for (const auto length : {-5us, 50us, 60us, 2000us})
        meter.add(&lock_usage::wait, length);
    const auto read = meter.read().wait;
    CHECK(read.counts[0] == 3);
    CHECK(read.counts[4] == 1);
    CHECK(read.count() == 4);
    CHECK(read.sum == 2110us);
    CHECK(meter.read().hold.count() == 0);
}

TEST_CASE("what waits and what is held follows from the counters") {
    usage_meter meter;
    meter.add(&lock_usage::acquires, 10);
    meter.add(&lock_usage::granted, 5);
    for (const auto one : {&lock_usage::would_block, &lock_usage::timed_out, &lock_usage::cancelled,
                           &lock_usage::failed, &lock_usage::lost, &lock_usage::closed})
        meter.add(one);
    meter.add(&lock_usage::released, 2);
    CHECK(meter.read().waiting() == 1);
    CHECK(meter.read().held() == 1);
}
