// Every order of everything in a small world; and that a wrong order is found.
#include "explorer.hpp"
#include "support/mutants.hpp"

#include "support/pch.hpp"

#include <algorithm>

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
    CHECK(found.states > 50);
    CHECK(found.ends > 0);
}

TEST_CASE("an exploration does the same each time") {
    const auto one = explorer::explore(two_sessions(0), {});
    const auto other = explorer::explore(two_sessions(0), {});
    CHECK(one.states == other.states);
    CHECK(one.ends == other.ends);
}

TEST_CASE("a planted bug is found in a small world, with the way to it") {
    const auto planted =
        GENERATE(mutant::line_not_looked_at, mutant::cancel_leaves_ticket,
                 mutant::looks_without_watch, mutant::unknown_create_repeated,
                 mutant::names_without_incarnation, mutant::release_forgotten_on_loss);
    const bool reduced = GENERATE(true, false);
    const auto found = explorer::explore(two_sessions(1, planted), {.reduced = reduced});
    CHECK_FALSE(found.violations.empty());
    CHECK_FALSE(found.way.empty());
}

TEST_CASE("readers and writers of two sessions take a lock, in every mix and every order") {
    const auto found =
        explorer::explore({.sessions = 2, .tickets = 3, .faults = 0, .readers = true}, {});
    CHECK(found.complete);
    CHECK(found.violations.empty());
    CHECK(found.ends > 0);
}

TEST_CASE("a planted bug of readers is found in a small world") {
    const auto planted =
        GENERATE(mutant::marked_clear_while_waiting, mutant::reader_releases_like_owner,
                 mutant::unmarked_reader_trusted);
    const small_limits limits{
        .sessions = 3, .tickets = 3, .faults = 0, .readers = true, .planted = planted};
    CHECK_FALSE(explorer::explore(limits, {}).violations.empty());
}

TEST_CASE("a lock of one node, and a semaphore, are taken in every order of every message") {
    const auto limits = GENERATE_COPY(
        one_node_world(2, 3, 1), one_node_world(3, 3, 0), semaphore_world(2, 2, 1),
        semaphore_world(3, 3, 0),
        small_limits{.sessions = 2,
                     .tickets = 2,
                     .faults = 0,
                     .kind = small_kind::semaphore,
                     .makes_semaphore = true},
        small_limits{
            .sessions = 2, .tickets = 2, .faults = 1, .kind = small_kind::semaphore, .leases = 1});
    const auto found = explorer::explore(limits, {});
    CHECK(found.complete);
    CHECK(found.violations.empty());
    CHECK(found.ends > 0);
}

TEST_CASE("a planted bug of a lock of one node is found in a small world") {
    const auto planted = GENERATE(mutant::holder_not_watched, mutant::late_holder_kept,
                                  mutant::next_of_session_forgotten, mutant::own_holder_waited_for);
    const bool reduced = GENERATE(true, false);
    auto limits = one_node_world(2, 3, 1);
    limits.planted = planted;
    CHECK_FALSE(explorer::explore(limits, {.reduced = reduced}).violations.empty());
}

TEST_CASE("a planted bug of a semaphore is found in a small world") {
    const auto planted = GENERATE(mutant::leases_not_counted, mutant::leases_not_watched,
                                  mutant::tried_not_counted, mutant::unknown_lease_kept);
    const bool reduced = GENERATE(true, false);
    auto limits = semaphore_world(2, 2, 1);
    limits.planted = planted;
    CHECK_FALSE(explorer::explore(limits, {.reduced = reduced}).violations.empty());
}

TEST_CASE("two locks are taken as one and alone, in every mix and every order of every message") {
    const auto limits =
        GENERATE_COPY(multi_world(2, 2, 1), multi_world(1, 2, 1), multi_world(3, 3, 0));
    const auto found = explorer::explore(limits, {});
    CHECK(found.complete);
    CHECK(found.violations.empty());
    CHECK(found.ends > 0);
}

TEST_CASE("a planted bug of several locks as one is found in a small world") {
    const auto planted = GENERATE(mutant::multi_ordered_as_named, mutant::multi_keeps_on_failure,
                                  mutant::multi_loss_forgotten);
    const bool reduced = GENERATE(true, false);
    auto limits = multi_world(2, 2, 1);
    limits.planted = planted;
    CHECK_FALSE(explorer::explore(limits, {.reduced = reduced}).violations.empty());
}

TEST_CASE("two who take two locks in different orders wait for each other") {
    auto limits = multi_world(3, 3, 0);
    limits.planted = mutant::multi_ordered_as_named;
    const auto found = explorer::explore(limits, {});
    REQUIRE(found.violations.size() == 1);
    CHECK(found.violations.front() == "a ticket waits for ever");
}

TEST_CASE("a ticket that is kept behind a part that waits is found with three acquires") {
    auto limits = multi_world(2, 3, 0);
    limits.planted = mutant::company_kept_behind_waiter;
    CHECK_FALSE(explorer::explore(limits, {}).violations.empty());
}

TEST_CASE("three sessions show that a line of a semaphore is passed") {
    auto limits = semaphore_world(3, 3, 0);
    limits.planted = mutant::line_passed;
    CHECK_FALSE(explorer::explore(limits, {}).violations.empty());
}

TEST_CASE("the orders that are left out lead to no end that the others do not lead to") {
    const auto limits =
        GENERATE(small_limits{.sessions = 1, .tickets = 2, .faults = 1},
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0}, two_sessions(1),
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0, .readers = true},
                 one_node_world(2, 2, 1), semaphore_world(2, 2, 0), semaphore_world(1, 2, 1),
                 multi_world(2, 2, 0), multi_world(1, 2, 1));
    const auto all = explorer::explore(limits, {.reduced = false, .keeps_end_states = true});
    const auto fewer = explorer::explore(limits, {.keeps_end_states = true});
    CHECK(all.complete);
    CHECK(fewer.complete);
    CHECK(fewer.end_states == all.end_states);
    CHECK_FALSE(all.end_states.empty());
    CHECK(fewer.states < all.states);
}

TEST_CASE("states told by what they are lead to the ends that states told by their past lead to") {
    const auto limits =
        GENERATE(small_limits{.sessions = 1, .tickets = 2, .faults = 1},
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0}, two_sessions(1),
                 small_limits{.sessions = 2, .tickets = 2, .faults = 0, .readers = true},
                 one_node_world(2, 2, 1), semaphore_world(2, 2, 1), multi_world(2, 2, 0));
    const auto all =
        explorer::explore(limits, {.reduced = false, .keeps_end_states = true, .by_past = true});
    const auto fewer = explorer::explore(limits, {.keeps_end_states = true});
    CHECK(all.complete);
    CHECK(fewer.complete);
    CHECK(fewer.end_states == all.end_states);
    CHECK(2 * fewer.states < all.states);
}

TEST_CASE(
    "states told by what they are show the planted bugs that states told by their past show") {
    const auto sound = explorer::explore(two_sessions(1, mutant::none), {});
    for (const auto& [name, which] : mutants) {
        CAPTURE(name);
        const auto by_state = explorer::explore(two_sessions(1, which), {});
        if (by_state.violations.empty() && by_state.states == sound.states &&
            by_state.steps == sound.steps)
            continue; // of another kind of lock, more likely than not
        const auto by_past = explorer::explore(two_sessions(1, which), {.by_past = true});
        CHECK(by_state.violations.empty() == by_past.violations.empty());
    }
}

TEST_CASE("a wait that comes back to where it was is found at once") {
    const auto found =
        explorer::explore(two_sessions(1, mutant::cancel_in_flight_leaves_ticket), {});
    REQUIRE(found.violations.size() == 1);
    CHECK(found.violations.front() == "a ticket waits for ever");
    CHECK(std::count(found.way.begin(), found.way.end(), "pass time 0") < 40);
}

TEST_CASE("a wait for nobody is found before time passes") {
    const auto found = explorer::explore(two_sessions(0, mutant::looks_without_watch), {});
    REQUIRE(found.violations.size() == 1);
    CHECK(found.violations.front() == "a ticket waits, and nothing stands in its way");
    CHECK(std::count(found.way.begin(), found.way.end(), "pass time 0") == 0);
}

TEST_CASE("faults are dealt out in every way, but for the exchange of sessions that are alike") {
    CHECK(explorer::deals({.sessions = 1, .faults = 0}).size() == 1);
    CHECK(explorer::deals({.sessions = 1, .faults = 2}).size() == 3);
    CHECK(explorer::deals({.sessions = 2, .tickets = 2, .faults = 1}).size() == 2);
    CHECK(explorer::deals({.sessions = 2, .tickets = 4, .faults = 1}).size() == 4);
    const auto with_readers = [](std::size_t tickets, std::size_t faults) {
        return explorer::deals(
                   {.sessions = 3, .tickets = tickets, .faults = faults, .readers = true})
            .size();
    };
    CHECK(with_readers(3, 0) == 4); // none to three of them read
    CHECK(with_readers(3, 1) == 12);
    CHECK(with_readers(6, 0) == 64);
    CHECK(explorer::deals(semaphore_world(3, 3, 0)).size() ==
          4); // none to three of them take two leases
    CHECK(explorer::deals(one_node_world(3, 3, 0)).size() == 1);
    // Both locks or one of them; the last two sessions are alike.
    CHECK(explorer::deals(multi_world(3, 3, 0)).size() == 18);
}
