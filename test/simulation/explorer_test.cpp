// Every order of everything in a small world; and that a wrong order is found.
#include "explorer.hpp"

#include "support/pch.hpp"

using namespace turnstile::test;
using turnstile::protocol::mutant;

namespace {

small_limits two_sessions(std::size_t faults, mutant planted = mutant::none) {
    return {.sessions = 2, .tickets = 2, .faults = faults, .planted = planted};
}

} // namespace

TEST_CASE("two sessions take a lock in turn, in every order of every message") {
    const auto found = explorer::explore(two_sessions(0), {});
    CHECK(found.complete);
    CHECK(found.violations.empty());
    CHECK(found.states > 1000);
    CHECK(found.ends > 10);
}

TEST_CASE("an exploration does the same each time") {
    const auto one = explorer::explore(two_sessions(0), {});
    const auto other = explorer::explore(two_sessions(0), {});
    CHECK(one.states == other.states);
    CHECK(one.ends == other.ends);
}

TEST_CASE("a planted bug is found in a small world, with the way to it") {
    const auto planted = GENERATE(mutant::line_not_looked_at, mutant::cancel_leaves_ticket,
                                  mutant::looks_without_watch, mutant::unknown_create_repeated);
    const auto found = explorer::explore(two_sessions(1, planted), {});
    CHECK_FALSE(found.violations.empty());
    CHECK_FALSE(found.way.empty());
}
