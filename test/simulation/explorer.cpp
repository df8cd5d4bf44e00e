#include "explorer.hpp"

#include <memory>
#include <unordered_set>

namespace turnstile::test {

namespace {

struct branch {
    std::vector<small_world::choice> choices;
    std::size_t taken = 0; // index of the one we are in
};

} // namespace

explorer::result explorer::explore(const small_limits& limits, std::uint64_t most_states,
                                   const std::function<void(std::uint64_t)>& progress) {
    result found;
    std::unordered_set<std::uint64_t> seen;
    std::vector<branch> way;
    auto world = std::make_unique<small_world>(limits);
    const auto stop_if_wrong = [&] {
        found.violations = world->violations();
        if (found.violations.empty())
            return false;
        for (const auto& step : way)
            found.way.push_back(step.choices[step.taken].str());
        return true;
    };
    for (;;) {
        if (stop_if_wrong())
            return found;
        const bool is_new = seen.insert(world->state()).second;
        if (is_new && (found.states = seen.size()) % 100'000 == 0 && progress)
            progress(found.states);
        if (found.states >= most_states)
            return found;
        auto choices = is_new ? world->choices() : std::vector<small_world::choice>{};
        if (is_new && choices.empty()) {
            ++found.ends;
            world->run_out();
            if (stop_if_wrong())
                return found;
        }
        if (!choices.empty()) {
            way.push_back({std::move(choices)});
            world->take(way.back().choices.front());
            continue;
        }
        while (!way.empty() && way.back().taken + 1 == way.back().choices.size())
            way.pop_back();
        if (way.empty()) {
            found.complete = true;
            return found;
        }
        ++way.back().taken;
        world = std::make_unique<small_world>(limits);
        for (const auto& step : way)
            world->take(step.choices[step.taken]);
    }
}

} // namespace turnstile::test
