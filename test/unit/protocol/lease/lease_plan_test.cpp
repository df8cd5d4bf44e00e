// SPDX-License-Identifier: BSL-1.0
// The shares of T fit together as their reasons say. T is 16 s.
#include "lease_terms.hpp"
#include "protocol/lease/lease_plan.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test::lease_terms;
using namespace std::chrono_literals;

TEST_CASE("three beats fit into the longest gap") {
    CHECK(3 * lease_plan::beat(T) == lease_plan::longest_gap(T));
    CHECK(lease_plan::hurry(T, 1s) == lease_plan::longest_gap(T) + 2s);
}

TEST_CASE("the gap is three quarters of a stated tick, and never more than without one") {
    CHECK(lease_plan::gap(T, std::nullopt) == 6s);
    CHECK(lease_plan::gap(T, 2s) == 1500ms);
    CHECK(lease_plan::gap(T, 8s) == 6s); // T is two ticks
    CHECK(lease_plan::gap(T, 8s - 4ns) == 6s - 3ns);
    CHECK(lease_plan::gap(T, 9s) == 6s);
}

TEST_CASE("what a beat proves is answered the gap before it, or at whole beats more") {
    CHECK(lease_plan::read_lead(T, 6s) == 0s);
    CHECK(lease_plan::read_lead(T, 1500ms) == 1500ms);
    CHECK(lease_plan::read_lead(T, 4500ms) == 500ms);
}

TEST_CASE("a grant leaves the margin, the time to give up a server, and the way back") {
    const auto usual = lease_plan::margin(T, lease_plan::usual_margin(T));
    CHECK(usual == 1s);
    CHECK(lease_plan::left_for_grant(T, usual) ==
          lease_plan::holders_patience(T) + lease_plan::way_back(T));
    CHECK(lease_plan::left_for_grant(T, lease_plan::longest_gap(T)) == 0s);
}

TEST_CASE("no margin is larger than a quarter of T, and a risk is told before each loss") {
    CHECK(lease_plan::margin(T, 3s) == 3s);
    CHECK(lease_plan::margin(T, 5s) == 4s);
    CHECK(lease_plan::risk(T, 1s) == 4s);
    CHECK(lease_plan::risk(T, 4s) == 5s);
}

TEST_CASE("a holder gives a beat up in time to be back before the loss is told") {
    const auto alarm = [](duration trip, std::optional<instant> told) {
        return lease_plan::holders_alarm(T, at(100s), trip, told);
    };
    CHECK(alarm(1s, at(110s)) == at(102s));     // T/8, if there is time
    CHECK(alarm(1s, std::nullopt) == at(102s)); // if no loss will be reported
    CHECK(alarm(0s, at(102s)) == at(102s));     // before the first answer
    CHECK(alarm(100ms, at(102s)) == at(101s));  // T/16 before the loss
    CHECK(alarm(1s, at(102s)) == at(101500ms)); // a slow server gets r and T/32
    CHECK(alarm(10s, at(102s)) == at(102s));    // but never more than T/8
}
