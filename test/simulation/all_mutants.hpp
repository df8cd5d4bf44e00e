// SPDX-License-Identifier: BSL-1.0
// Every planted bug in turn: each must be found.
#pragma once

#include "mutant_hunt.hpp"

#include "protocol/mutation.hpp"

#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace turnstile::test {

nlohmann::json report_of(protocol::mutant which, const mutant_catch& found);

struct all_mutants {
    seed_search::range where{};
    std::optional<protocol::mutant> only{};
    bool until_caught = false; // ends with the first layer that finds the bug

    /// Tells on the output which layers find each bug, and after how much. The result is false
    /// where none finds one. So many bugs as there are threads are hunted at once.
    bool hunt() const;
};

} // namespace turnstile::test
