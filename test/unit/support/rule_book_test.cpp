// SPDX-License-Identifier: BSL-1.0
// What a proxy's rules remember.
#include "support/pch.hpp"
#include "support/rule_book.hpp"

using namespace turnstile::test;

TEST_CASE("a rule whose frame was lost fires at the next one") {
    rule_book book;
    const auto id = book.add({.op = op::get_data, .action = action::cut_before});
    frame read;
    read.op = op::get_data;
    REQUIRE(book.judge(direction::to_server, read).has_value());
    CHECK_FALSE(book.judge(direction::to_server, read).has_value());
    book.give_back(id);
    const auto again = book.judge(direction::to_server, read);
    REQUIRE(again.has_value());
    CHECK(again->id == id);
    book.hit(id);
    CHECK(book.hits(id) == 1);
    CHECK_FALSE(book.judge(direction::to_server, read).has_value());
}

TEST_CASE("a rule can fire at a share of the frames alone") {
    rule_book book;
    const auto times = GENERATE(0, 2);
    (void)book.add({.nth = 2, .times = times, .every = 3, .action = action::lose});
    std::vector<int> fired;
    for (int i = 1; i <= 12; ++i) {
        if (book.judge(direction::to_server, frame{})) {
            fired.push_back(i);
        }
    }
    CHECK(fired == (times == 0 ? std::vector{2, 5, 8, 11} : std::vector{2, 5}));
}
