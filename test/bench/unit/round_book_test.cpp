// SPDX-License-Identifier: BSL-1.0
#include "round_book.hpp"

#include <catch2/catch.hpp>

using namespace turnstile::bench;

namespace {

row round_of(const char* strategy, double p50, double ratio) {
    row result{.scenario = "wakeup", .strategy = strategy, .waiters = 10, .sessions = 2};
    result.count = 100;
    result.p50_us = p50;
    result.max_us = 10 * p50;
    result.ratio_to_turnstile = ratio;
    result.quantiles_us = {{0.5, p50}, {1.0, 10 * p50}};
    result.blocks["p50_us"] = {p50, p50, p50};
    return result;
}

} // namespace

TEST_CASE("round book: rows of one name become one, with the median of the rounds") {
    round_book book;
    for (const auto p50 : {300.0, 100.0, 500.0}) {
        book.add(round_of("turnstile", p50, 1));
        book.add(round_of("curator", 2 * p50, p50 / 100));
    }
    const auto all = book.medians();
    REQUIRE(all.size() == 2);
    CHECK(all[0].strategy == "turnstile");
    const auto& peer = all[1];
    CHECK(peer.count == 300);
    CHECK(*peer.p50_us == 600);
    CHECK(*peer.max_us == 10'000);
    CHECK(*peer.ratio_to_turnstile == 3);
    CHECK(peer.blocks.at("p50_us") == std::vector<double>{600, 200, 1000});
    CHECK(peer.blocks.at("ratio_to_turnstile") == std::vector<double>{3, 1, 5});
    CHECK(peer.quantiles_us == std::vector<std::pair<double, double>>{{0.5, 600}, {1.0, 6000}});
}

TEST_CASE("round book: a figure that a round lacks is that of the others") {
    round_book book;
    auto first = round_of("kazoo", 100, 2);
    first.ratio_to_turnstile.reset();
    book.add(first);
    book.add(round_of("kazoo", 100, 4));
    const auto all = book.medians();
    REQUIRE(all.size() == 1);
    CHECK(*all[0].ratio_to_turnstile == 4);
    CHECK_FALSE(all[0].line_up_s);
}
