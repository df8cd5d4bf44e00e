// SPDX-License-Identifier: BSL-1.0
// Several surveys under way at once: whose answer is whose.
#include "protocol/inspect/survey_table.hpp"
#include "support/replies.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

constexpr std::size_t plenty = 50;

// Survey 1 of /l has asked for its listing by inquiry 11, survey 2 of /m by inquiry 21.
survey_table two_surveys() {
    survey_table table;
    for (const survey_table::survey_id id : {1U, 2U}) {
        table.begin(id, id == 1 ? "/l" : "/m", plenty);
        const auto asks = table.next(id);
        REQUIRE(asks.size() == 1);
        table.asked(id, 10 * id + 1, asks.front().number);
    }
    return table;
}

} // namespace

TEST_CASE("an answer goes to the survey that asked for it") {
    auto table = two_surveys();
    CHECK(table.find(11) == 1U);
    CHECK(table.find(21) == 2U);
    CHECK(table.on_answer(21, replies::listing({})) == 2U);
    CHECK(table.over(2));
    CHECK_FALSE(table.over(1));
    CHECK_FALSE(table.find(21)); // answered
}
