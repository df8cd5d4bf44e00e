// States that count as one go on in the same ways; and a state that is told incompletely is found.
#include "merge_check.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;

TEST_CASE("in small worlds all pasts that count as one state go on in the same ways") {
    const auto limits =
        GENERATE(small_limits{.sessions = 2, .tickets = 2, .faults = 1},
                 small_limits{.sessions = 1, .tickets = 2, .faults = 1},
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0},
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0, .readers = true},
                 one_node_world(2, 2, 1), one_node_world(1, 2, 2), semaphore_world(2, 2, 1),
                 multi_world(2, 2, 0), multi_world(1, 2, 0));
    const auto found = merge_check(limits).exhaust();
    CHECK_FALSE(found.differs);
    CHECK(found.merges > found.states);
}

TEST_CASE("random runs of the whole world that count as one state go on in the same ways") {
    const auto limits =
        GENERATE(small_limits{.sessions = 3, .tickets = 4, .faults = 2}, one_node_world(3, 3, 1),
                 semaphore_world(3, 3, 1), multi_world(3, 3, 1));
    const auto found = merge_check(limits).walk(90, 1);
    CHECK_FALSE(found.differs);
    CHECK(found.merges > 100);
}

TEST_CASE("a part of a lock of one node, or of a semaphore, that is forgotten is missed") {
    const auto [part, limits] =
        GENERATE_COPY(std::pair("single node", one_node_world(2, 2, 1)),
                      std::pair("own node", one_node_world(2, 2, 1)),
                      std::pair("acquires of leases", semaphore_world(2, 2, 1)),
                      std::pair("pending leases", semaphore_world(2, 2, 1)),
                      std::pair("leases", semaphore_world(2, 2, 1)));
    const auto found = merge_check(limits, part).exhaust();
    CAPTURE(part);
    CHECK(found.differs);
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
