// SPDX-License-Identifier: BSL-1.0
// One script against both servers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

struct truth_run {
    std::size_t steps = 0;
    std::size_t answers = 0; // and events, of the real server
    /// The first difference: what was said on both sides, with all steps before it. Nothing: none.
    std::optional<std::string> difference{};
    std::vector<std::string> story{};
};

/// `patient` scripts let sessions expire, which takes about a second each.
truth_run run_against_truth(const std::string& address, std::uint64_t seed, bool patient);

} // namespace turnstile::test
