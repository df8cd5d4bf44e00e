// States that count as one go on in the same ways; and a state that is told incompletely is found.
#include "merge_check.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;

TEST_CASE("in small worlds all pasts that count as one state go on in the same ways") {
    const auto limits =
        GENERATE(small_limits{.sessions = 2, .tickets = 2, .faults = 1},
                 small_limits{.sessions = 1, .tickets = 2, .faults = 1},
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0},
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0, .readers = true});
    const auto found = merge_check(limits).exhaust();
    CHECK_FALSE(found.differs);
    CHECK(found.merges > found.states);
}

TEST_CASE("random runs of the whole world that count as one state go on in the same ways") {
    const auto found = merge_check({.sessions = 3, .tickets = 4, .faults = 2}).walk(60, 1);
    CHECK_FALSE(found.differs);
    CHECK(found.merges > 100);
}

TEST_CASE("a part of the state that is forgotten is missed") {
    const small_limits two{.sessions = 2, .tickets = 2, .faults = 1};
    const small_limits one{.sessions = 1, .tickets = 2, .faults = 1};
    const auto [part, limits] = GENERATE_COPY(
        std::pair("answer", two), std::pair("pending deletes", two), std::pair("faults", two),
        std::pair("nodes", two), std::pair("on its way here", two),
        std::pair("server's watches", two), std::pair("name", one),
        std::pair("old connections", one), std::pair("open create", one));
    const auto found = merge_check(limits, part).exhaust();
    CAPTURE(part);
    CHECK(found.differs);
    CHECK(found.way != found.other_way);
}
