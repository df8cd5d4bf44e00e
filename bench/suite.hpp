// SPDX-License-Identifier: BSL-1.0
// The suite: the scenarios one after the other, as one table.
#pragma once

#include "row.hpp"
#include "target.hpp"

#include <cstddef>

namespace turnstile::bench {

struct suite_choice {
    bool quick = false;
    std::size_t iterations = 0;   // 0: as many as the form has
    std::size_t longest = 20'000; // longer lines are left out
};

/// Says on standard error which step runs, and how long the rest takes. A step that fails is told
/// there, too, and the others go on; `failed` counts them.
rows measure_suite(const target& server, const suite_choice& choice, std::size_t& failed);

} // namespace turnstile::bench
