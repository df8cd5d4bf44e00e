// SPDX-License-Identifier: BSL-1.0
// One script against both servers.
#pragma once

#include "comparison.hpp"
#include "model_side.hpp"
#include "real_side.hpp"
#include "script.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::test {

inline constexpr std::size_t sessions = 3;

inline constexpr std::size_t steps_of_one = 60;

inline std::string fresh_root(std::uint64_t seed) {
    static std::atomic<int> last{0};
    return "/truth-" + std::to_string(seed) + '-' + std::to_string(++last);
}

inline std::string both(std::size_t who, const std::vector<heard>& real,
                        const std::vector<heard>& modelled) {
    auto text = "session " + std::to_string(who) + " heard of the real server:\n";
    for (const auto& word : real)
        text += "    " + text_of(word) + '\n';
    text += "and of the model:\n";
    for (const auto& word : modelled)
        text += "    " + text_of(word) + '\n';
    return text;
}

struct truth_run {
    std::size_t steps = 0;
    std::size_t answers = 0; // and events, of the real server
    /// The first difference: what was said on both sides, with all steps before it. Nothing: none.
    std::optional<std::string> difference{};
    std::vector<std::string> story{};
};

/// `patient` scripts let sessions expire, which takes about a second each.
inline truth_run run_against_truth(const std::string& address, std::uint64_t seed, bool patient) {
    truth_run result;
    model_side model(sessions, exists_needs_read(address));
    real_side truth(address, fresh_root(seed), sessions);
    script draws(seed, model, patient);
    comparison both_said;
    while (result.steps < steps_of_one && !result.difference) {
        const auto next = draws.next();
        ++result.steps;
        result.story.push_back(next.str());
        model.take(next);
        try {
            truth.take(next);
        } catch (const std::runtime_error& silence) {
            result.difference = silence.what();
            break;
        }
        const auto said = truth.listen();
        const auto modelled = model.listen();
        // On its way out a session may miss the news of its own nodes.
        const bool ends = next.what == step::kind::session_end || next.what == step::kind::close ||
                          next.what == step::kind::expire;
        for (std::size_t who = 0; who < sessions && !result.difference; ++who) {
            result.answers += said[who].size();
            if (!both_said.same(said[who], modelled[who], ends && who == next.who))
                result.difference = both(who, said[who], modelled[who]);
        }
    }
    return result;
}

} // namespace turnstile::test
