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

TEST_CASE("a rule that fires without end fires after a loss") {
    rule_book book;
    const auto id = book.add({.op = op::get_data, .times = 0, .action = action::cut_before});
    frame read;
    read.op = op::get_data;
    REQUIRE(book.judge(direction::to_server, read).has_value());
    book.give_back(id);
    CHECK(book.judge(direction::to_server, read).has_value());
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

TEST_CASE("a rule can leave out paths that have something in them") {
    rule_book book;
    const auto id = book.add({.op = op::get_data, .path = "/lock/", .without = "-read-"});
    frame read;
    read.op = op::get_data;
    read.path = "/lock/turn-1-read-lock-0000000000";
    CHECK_FALSE(book.judge(direction::to_server, read).has_value());
    read.path = "/lock/turn-1-lock-0000000000";
    const auto found = book.judge(direction::to_server, read);
    REQUIRE(found.has_value());
    CHECK(found->id == id);
}
