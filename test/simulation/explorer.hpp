// Tries every order of everything in a small world.
#pragma once

#include "small_world.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::test {

/// Depth first. A world cannot be copied, so a branch is reached by repeating the choices that lead
/// to it; a state that was seen before is not gone into again.
class explorer {
public:
    struct result {
        std::uint64_t states = 0;
        std::uint64_t ends = 0; // of runs in which everybody was served
        bool complete = false;
        std::vector<std::string> violations{};
        std::vector<std::string> way{}; // to the violation
    };

    /// Stops at the first violation, or after so many states.
    static result explore(const small_limits& limits, std::uint64_t most_states,
                          const std::function<void(std::uint64_t states)>& progress = {});
};

} // namespace turnstile::test
