// SPDX-License-Identifier: BSL-1.0
// A planted bug is told with all layers that find it, and with none where none does.
#include "mutant_hunt.hpp"

#include "support/pch.hpp"

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
    CHECK(found.layers() == std::vector<std::string_view>{"simulation", "unit"});
    CHECK(found.seeds.value_or(0) > 0);
    CHECK(found.seeds.value_or(41) < 41);
}

TEST_CASE("a hunt that ends with the first layer asks the cheapest first") {
    const auto hunt = some_seeds();
    CHECK(hunt.until_caught(mutant::cancel_leaves_ticket).layers() ==
          std::vector<std::string_view>{"simulation"});
    CHECK(hunt.until_caught(mutant::proofs_survive_connection).layers() ==
          std::vector<std::string_view>{"unit"});
}
