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

/// Says on standard error which step runs, and how long the rest takes.
rows measure_suite(const target& server, const suite_choice& choice);

} // namespace turnstile::bench
