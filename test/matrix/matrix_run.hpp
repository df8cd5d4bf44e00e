// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "cell.hpp"
#include "server_set.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::matrix {

struct run_options {
    std::uint64_t seed = 1;
    std::size_t at_once = 16; ///< cells: they mostly wait
    int slower = 1;           ///< as server_set::slower
    bool tls = false;         ///< the unlucky session speaks TLS
    bool verbose = false;
};

struct cell_result {
    cell what;
    std::vector<std::string> violations;
};

/// Runs these cells, several at once, and tells the violations as they come.
std::vector<cell_result> run_all(const server_set& where, const std::vector<cell>& cells,
                                 const run_options& how);

} // namespace turnstile::matrix
