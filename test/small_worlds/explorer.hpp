// Tries every order of everything in a small world.
#pragma once

#include "small_world.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace turnstile::test {

/// Depth first. A world cannot be copied, so a branch is reached by repeating the choices that lead
/// to it; a state that was seen before is not gone into again. The faults are dealt out to the
/// clients beforehand, in every way, and each deal is a search of its own. A run that comes back to
/// a state it was in would do so for ever, and so is a violation.
class explorer {
public:
    struct result {
        std::uint64_t states = 0;
        std::uint64_t ends = 0; // of runs in which everybody was served
        std::uint64_t steps = 0;
        bool complete = false;
        std::vector<std::string> violations{};
        std::vector<std::string> way{};       // to the violation
        std::set<std::uint64_t> end_states{}; // where they were asked for
    };
    struct settings {
        std::uint64_t most_states = 100'000'000;
        /// Of orders that lead to the same, only one: docs/internals/small_worlds.md.
        bool reduced = true;
        bool keeps_end_states = false;
        /// States are told apart by what led to them: many times as many, and nothing rests on the
        /// description of the machines.
        bool by_past = false;
        /// A part of the states that is left out of them.
        std::string forgotten{};
        std::function<void(std::uint64_t states)> progress{};
    };

    /// Stops at the first violation, or after so many states.
    static result explore(const small_limits& limits, const settings& how);
    /// Every way to deal the faults out, and to say of which sort each ticket is, up to the
    /// exchange of sessions that are alike.
    static std::vector<small_deal> deals(const small_limits& limits);
};

} // namespace turnstile::test
