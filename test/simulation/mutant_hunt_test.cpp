// A planted bug is told with all layers that find it, and with none where none does.
#include "mutant_hunt.hpp"

#include "small_worlds/explorer.hpp"
#include "support/pch.hpp"

#include <utility>

using namespace turnstile::test;
using turnstile::protocol::mutant;

namespace {

mutant_hunt some_seeds() {
    return {{.seeds = 40, .threads = 1}, [](const std::string&) {}};
}

mutant_catch hunt_some(mutant planted) { return some_seeds().in_all_layers(planted); }

} // namespace

TEST_CASE("a bug that all layers find is told with all") {
    const auto found = hunt_some(mutant::cancel_leaves_ticket);
    CHECK(found.layers() == std::vector<std::string_view>{"simulation", "exploration", "unit"});
    CHECK(found.seeds.value_or(0) > 0);
    CHECK(found.seeds.value_or(41) < 41);
    CHECK(found.states.value_or(0) > 0);
}

TEST_CASE("a bug of readers is found where small worlds have readers") {
    const auto found = hunt_some(mutant::reader_releases_like_owner);
    CHECK(found.layers() == std::vector<std::string_view>{"simulation", "exploration", "unit"});
    CHECK(found.states.value_or(0) > 0);
}

// The worlds one by one: the hunt searches all of those before them, too.
TEST_CASE("a bug of a further kind of lock is found where small worlds have that kind") {
    auto [world, planted] = GENERATE(std::pair{hunted_node, mutant::own_holder_waited_for},
                                     std::pair{hunted_semaphore_line, mutant::line_passed},
                                     std::pair{hunted_multi_line, mutant::multi_ordered_as_named});
    CHECK(explorer::explore(world, {}).violations.empty());
    world.planted = planted;
    CHECK_FALSE(explorer::explore(world, {}).violations.empty());
}

TEST_CASE("a hunt that ends with the first layer asks the cheapest first") {
    const auto hunt = some_seeds();
    CHECK(hunt.until_caught(mutant::cancel_leaves_ticket).layers() ==
          std::vector<std::string_view>{"simulation"});
    CHECK(hunt.until_caught(mutant::proofs_survive_connection).layers() ==
          std::vector<std::string_view>{"unit"});
}
