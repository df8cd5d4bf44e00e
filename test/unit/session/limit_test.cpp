// SPDX-License-Identifier: BSL-1.0
// Time limits in any unit, among them those that are no numbers.
#include <turnstile/detail/limit.hpp>

#include "support/pch.hpp"

#include <cstdint>
#include <limits>

using turnstile::detail::limit_of;
using turnstile::detail::limit_until;
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

TEST_CASE("an instant of any clock is a limit") {
    using steady = std::chrono::steady_clock;
    using system = std::chrono::system_clock;
    CHECK(limit_until(steady::time_point::min()) == 0ns);
    CHECK(limit_until(steady::now()) == 0ns);
    CHECK(limit_until(system::now() - 1h) == 0ns);
    CHECK_FALSE(limit_until(steady::time_point::max()));
    const auto left = limit_until(std::chrono::ceil<std::chrono::minutes>(system::now()) + 1h);
    REQUIRE(left);
    CHECK(*left > 59min);
    CHECK(*left <= 61min);
}

TEST_CASE("a time limit that is an instant stays where it is, and a length counts from the start") {
    using turnstile::detail::time_limit;
    using steady = std::chrono::steady_clock;
    CHECK_FALSE(time_limit().left());
    CHECK_FALSE(time_limit::until(steady::time_point::max()).left());
    CHECK(time_limit(limit_of(5s)).left() == 5s);
    CHECK(time_limit::until(steady::now() - 1s).left() == 0ns);
    const auto instant = time_limit::until(steady::now() + 1h);
    const auto first = instant.left();
    REQUIRE(first);
    CHECK(*first <= 1h);
    const auto before = turnstile::lease_clock::now();
    while (turnstile::lease_clock::now() - before < 1us) {
    }
    CHECK(*instant.left() < *first);
}
