// SPDX-License-Identifier: BSL-1.0
// The bug that is planted in what a unit test looks at.
#pragma once

#include "protocol/mutation.hpp"

#include "support/mutants.hpp"

#include <cstdlib>

namespace turnstile::test {

/// None, unless the environment names one.
inline protocol::mutation planted_bug() {
    const auto* const name = std::getenv("TURNSTILE_PLANTED_BUG");
    return {name && *name ? mutant_of(name).value() : protocol::mutant::none};
}

} // namespace turnstile::test
