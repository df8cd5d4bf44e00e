// SPDX-License-Identifier: BSL-1.0
// Which layers of the tests find a planted bug, and after how much.
#pragma once

#include "seed_search.hpp"
#include "unit_layer.hpp"

#include "protocol/mutation.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace turnstile::test {

struct mutant_catch {
    std::optional<std::uint64_t> seeds{}; // of the simulation, up to the one that showed it
    bool units = false;                   // a unit test of the machines fails with it

    /// The names of the layers that found it.
    std::vector<std::string_view> layers() const;
};

/// Plants bugs, one after the other. Several threads may hunt at once.
class mutant_hunt {
public:
    /// `on_failure` is told of each seed that failed.
    mutant_hunt(const seed_search::range& where, seed_search::failure_handler on_failure);

    /// Asks every layer.
    mutant_catch in_all_layers(protocol::mutant planted) const;
    /// Asks the cheapest layer first, and ends with the one that finds the bug.
    mutant_catch until_caught(protocol::mutant planted) const;

private:
    std::optional<std::uint64_t> seeds(protocol::mutant planted,
                                       const seed_search::range& where) const;

    const seed_search::range where_;
    const seed_search::failure_handler on_failure_;
    const unit_layer units_;
};

} // namespace turnstile::test
