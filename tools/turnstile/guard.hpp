// SPDX-License-Identifier: BSL-1.0
// turnstile guard: ends the sessions of processes that have died.
#pragma once

#include <chrono>
#include <string>

namespace CLI {
class App;
}

namespace turnstile::command {

struct guard_options {
    std::string socket{};
    std::string mode{"0660"};
    std::chrono::milliseconds settle{};
    bool verbose = false;

    void add_to(CLI::App& app);
};

int guard(const guard_options& how);

} // namespace turnstile::command
