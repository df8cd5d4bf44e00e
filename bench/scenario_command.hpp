// SPDX-License-Identifier: BSL-1.0
// A scenario as a command of the program, with its options.
#pragma once

#include "row.hpp"
#include "target.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace turnstile::bench {

struct scenario_command {
    CLI::App* options = nullptr;
    /// None where the scenario prints no rows, or is a part of another one.
    std::function<rows(const target&)> measure{};
    /// Throws std::invalid_argument, before a server is started, for options that do not fit.
    std::function<void()> check = [] {};
    /// Whether the server is warmed up first, with so many rounds.
    bool warm = true;
    /// Whether the server's counters are part of the rows.
    bool counts = true;
    std::function<void(const rows&)> print = print_table;
    /// Called once the rows are printed and written. Throws std::runtime_error if some are missing.
    std::function<void()> end = [] {};
};

/// All of them. `warm_ups`: the option of that name, once it is read.
std::vector<scenario_command> scenario_commands(CLI::App& app, const std::size_t& warm_ups);

} // namespace turnstile::bench
