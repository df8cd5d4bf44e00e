// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/child_process.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

/// Runs other programs to their end. No shell is involved: arguments are passed as they are.
namespace turnstile::chaos::shell {

/// Returns the exit code, or the negative number of the signal that ended the program; 127 if there
/// is no such program.
[[nodiscard]] inline int status_of(const std::vector<std::string>& argv) noexcept {
    try {
        test::child_process child{{.argv = argv}};
        (void)child.wait_for_end(std::chrono::minutes{10});
        return child.exit_status().value_or(-9);
    } catch (const std::exception&) {
        return 127;
    }
}

/// Returns what the program wrote to its standard output and error. Throws std::runtime_error with
/// that unless it exits with 0.
[[nodiscard]] inline std::string output_of(const std::vector<std::string>& argv) {
    const test::temp_folder folder{"turnstile-shell-"};
    const auto file = folder.path() / "output";
    test::child_process child{{.argv = argv, .output_file = file}};
    const bool ended = child.wait_for_end(std::chrono::minutes{10});
    std::ifstream in{file};
    std::string said{std::istreambuf_iterator<char>{in}, {}};
    if (!ended || child.exit_status() != 0) {
        std::string command;
        for (const auto& word : argv)
            command += word + ' ';
        throw std::runtime_error{"failed: " + command + "\n" + said};
    }
    return said;
}

/// Throws as output_of() does.
inline void run(const std::vector<std::string>& argv) { (void)output_of(argv); }

} // namespace turnstile::chaos::shell
