// The bug that is planted in what a unit test looks at.
#pragma once

#include "protocol/mutation.hpp"

#ifdef TURNSTILE_MUTANTS
#include "support/mutants.hpp"

#include <cstdlib>
#endif

namespace turnstile::test {

/// None, but in the program that is built to have them: there the environment names it.
inline protocol::mutation planted_bug() {
#ifdef TURNSTILE_MUTANTS
    const auto* const name = std::getenv("TURNSTILE_PLANTED_BUG");
    return {name && *name ? mutant_of(name).value() : protocol::mutant::none};
#else
    return {};
#endif
}

} // namespace turnstile::test
