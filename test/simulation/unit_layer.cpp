// SPDX-License-Identifier: BSL-1.0
#include "unit_layer.hpp"

#include "support/mutants.hpp"

#include "support/child_process.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace turnstile::test {
namespace {

using namespace std::chrono_literals;

bool tests_pass(protocol::mutant planted) {
    const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    child_process tests(
        {.argv = {(here.parent_path() / "turnstile-machine-tests").string()},
         .environment = {"TURNSTILE_PLANTED_BUG=" + std::string(name_of(planted))}});
    return tests.wait_for_end(1min) && tests.exit_status() == 0;
}

} // namespace

unit_layer::unit_layer() : pass_without_a_bug_(tests_pass(protocol::mutant::none)) {}

bool unit_layer::finds(protocol::mutant planted) const {
    return pass_without_a_bug_ && !tests_pass(planted);
}

} // namespace turnstile::test
