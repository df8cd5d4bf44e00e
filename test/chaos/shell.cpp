// SPDX-License-Identifier: BSL-1.0
#include "shell.hpp"

#include "support/child_process.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace turnstile::chaos::shell {

int status_of(const std::vector<std::string>& argv) noexcept {
    try {
        test::child_process child{{.argv = argv}};
        (void)child.wait_for_end(std::chrono::minutes{10});
        return child.exit_status().value_or(-9);
    } catch (const std::exception&) {
        return 127;
    }
}

void run(const std::vector<std::string>& argv) { (void)output_of(argv); }

std::string output_of(const std::vector<std::string>& argv) {
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

} // namespace turnstile::chaos::shell
