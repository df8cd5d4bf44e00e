#pragma once

#include "arena.hpp"
#include "cell.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::matrix {

struct run_options {
    std::uint64_t seed = 1;
    std::size_t at_once = 16; ///< cells: they mostly wait
    int slower = 1;           ///< as arena::slower
    bool verbose = false;
};

struct cell_result {
    cell what;
    std::vector<std::string> violations;
};

/// Plays these cells, several at once, and tells the violations as they come.
std::vector<cell_result> play_all(const arena& where, const std::vector<cell>& cells,
                                  const run_options& how);

} // namespace turnstile::matrix
