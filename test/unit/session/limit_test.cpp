// SPDX-License-Identifier: BSL-1.0
// Time limits in any unit, among them those that are no numbers.
#include <turnstile/detail/limit.hpp>

#include "support/pch.hpp"

using turnstile::detail::limit_of;
using namespace std::chrono_literals;

namespace {

template <class Rep>
void check_ends() {
    using limits = std::numeric_limits<Rep>;
    CHECK_FALSE(limit_of(std::chrono::duration<Rep>(limits::max())));
    CHECK(limit_of(std::chrono::duration<Rep>(limits::lowest())) == 0ns);
    CHECK(limit_of(std::chrono::duration<Rep>(0)) == 0ns);
    CHECK(limit_of(std::chrono::duration<Rep>(2)) == 2s);
}

template <class Rep>
void check_no_numbers() {
    using limits = std::numeric_limits<Rep>;
    for (const auto nan : {limits::quiet_NaN(), -limits::quiet_NaN(), limits::signaling_NaN()}) {
        CHECK(limit_of(std::chrono::duration<Rep>(nan)) == 0ns);
        CHECK(limit_of(std::chrono::duration<Rep, std::nano>(nan)) == 0ns);
    }
    CHECK_FALSE(limit_of(std::chrono::duration<Rep>(limits::infinity())));
    CHECK(limit_of(std::chrono::duration<Rep>(-limits::infinity())) == 0ns);
    CHECK(limit_of(std::chrono::duration<Rep>(limits::denorm_min())) <= 1ns);
}

} // namespace

TEST_CASE("a limit that is no number is over at once, an infinite one is none") {
    check_no_numbers<float>();
    check_no_numbers<double>();
    check_no_numbers<long double>();
}

TEST_CASE("limits at the ends of their types are safe to add to an instant") {
    check_ends<std::int64_t>();
    check_ends<float>();
    check_ends<double>();
    check_ends<long double>();
    CHECK_FALSE(limit_of(std::chrono::hours::max()));
    CHECK(limit_of(std::chrono::hours::min()) == 0ns);
    CHECK_FALSE(limit_of(std::chrono::nanoseconds::max()));
    CHECK(limit_of(std::chrono::nanoseconds::min()) == 0ns);
    CHECK(limit_of(std::chrono::days(364)) == std::chrono::days(364));
    CHECK_FALSE(limit_of(std::chrono::days(365)));
}

TEST_CASE("limits are rounded up to the nanosecond") {
    CHECK(limit_of(1ms) == 1ms);
    CHECK(limit_of(-1ms) == 0ns);
    CHECK(limit_of(std::chrono::duration<double>(1e-12)) == 1ns);
    CHECK(limit_of(std::chrono::duration<double, std::nano>(1.5)) == 2ns);
}
