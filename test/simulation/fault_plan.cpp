#include "fault_plan.hpp"

#include <array>
#include <random>
#include <utility>

namespace turnstile::test {

namespace {

struct entry {
    bool fault_plan::*part;
    const char* name;
    unsigned chance; // in eight
};

constexpr std::array entries{entry{&fault_plan::cuts, "cuts", 4},
                             entry{&fault_plan::hangs, "hangs", 2},
                             entry{&fault_plan::outages, "outages", 1},
                             entry{&fault_plan::late_creates, "late_creates", 1},
                             entry{&fault_plan::ensemble, "ensemble", 5},
                             entry{&fault_plan::server_crashes, "server_crashes", 2},
                             entry{&fault_plan::server_pauses, "server_pauses", 2},
                             entry{&fault_plan::partitions, "partitions", 3},
                             entry{&fault_plan::lag, "lag", 2},
                             entry{&fault_plan::sieges, "sieges", 2},
                             entry{&fault_plan::impatient, "impatient", 4},
                             entry{&fault_plan::crashes, "crashes", 2},
                             entry{&fault_plan::pauses, "pauses", 1},
                             entry{&fault_plan::kills, "kills", 2},
                             entry{&fault_plan::reaps, "reaps", 2},
                             entry{&fault_plan::deletions, "deletions", 1},
                             entry{&fault_plan::foreigners, "foreigners", 1},
                             entry{&fault_plan::denials, "denials", 1},
                             entry{&fault_plan::readers, "readers", 3},
                             entry{&fault_plan::cancels, "cancels", 5},
                             entry{&fault_plan::small_budget, "small_budget", 1},
                             entry{&fault_plan::single_path, "single_path", 5}};

} // namespace

fault_plan fault_plan::drawn_from(std::uint64_t seed) {
    std::mt19937_64 engine(seed * 7919);
    fault_plan plan;
    for (const auto& each : entries)
        plan.*each.part = engine() % 8 < each.chance;
    constexpr std::array ticks{2U, 2U, 4U, 10U};
    plan.ticks = ticks.at(engine() % ticks.size());
    if (engine() % 16 == 0) { // a calm run
        const auto users = plan;
        plan = {};
        plan.ensemble = users.ensemble;
        plan.single_path = users.single_path;
    }
    plan.brief_rests = engine() % 32 == 0;
    plan.doubts = engine() % 16 == 0;
    plan.returns = engine() % 16 == 0;
    if (plan.returns)
        plan.ensemble = plan.sieges = plan.impatient = true;
    if (engine() % 32 == 0) { // users alone
        const auto drawn = plan;
        plan = {};
        plan.readers = plan.cancels = true;
        plan.ensemble = drawn.ensemble;
        plan.single_path = drawn.single_path;
        plan.ticks = drawn.ticks;
    }
    plan.kept_tickets = engine() % 16 == 0;
    const auto beats = engine() % 16; // what these leave out is a leader that its majority has left
    plan.light = beats < 2 && !plan.parts_servers();
    plan.all_light = beats == 0 && plan.light;
    plan.twins = engine() % 16 == 0 && !plan.deletions; // an operator would delete them as well
    plan.stutters = engine() % 16 == 0;
    if (plan.twins || plan.stutters)
        plan.cuts = true;
    plan.throttles = engine() % 16 == 0;
    plan.hidden = engine() % 16 == 0;
    if (plan.throttles || plan.hidden)
        plan.cuts = true;
    if (plan.throttles && engine() % 2 == 0 && !plan.light)
        plan.ensemble = plan.lag = true;
    plan.silent_expiries = engine() % 16 == 0;
    if (plan.silent_expiries)
        plan.kills = true;
    plan.brief_connects = engine() % 16 == 0 && !plan.returns; // that is to be seen without hangs
    if (plan.brief_connects)
        plan.hangs = true;
    return plan;
}

bool fault_plan::is_calm() const {
    auto rest = *this;
    rest.ensemble = rest.single_path = rest.small_budget = rest.reaps = false;
    for (const auto& each : entries)
        if (rest.*each.part)
            return false;
    return !doubts && !kept_tickets && !twins && !stutters && !throttles && !hidden &&
           !silent_expiries && !brief_connects;
}

bool fault_plan::parts_servers() const { return ensemble && (partitions || sieges); }

bool fault_plan::harms_nobody() const {
    const bool servers = server_crashes || server_pauses || throttles;
    const bool between_servers = parts_servers() || (ensemble && lag);
    const bool hands =
        kills || deletions || foreigners || denials || kept_tickets || twins || hidden;
    return !cuts && !hangs && !outages && !servers && !between_servers && !crashes && !pauses &&
           !hands;
}

std::string fault_plan::str() const {
    std::string text = std::to_string(ticks) + " ticks";
    for (const auto& each : entries)
        if (this->*each.part)
            text += std::string(" ") + each.name;
    for (const auto& [drawn, name] :
         {std::pair{brief_rests, " brief_rests"}, std::pair{doubts, " doubts"},
          std::pair{returns, " returns"}, std::pair{kept_tickets, " kept_tickets"},
          std::pair{twins, " twins"}, std::pair{light, " light"},
          std::pair{all_light, " all_light"}, std::pair{stutters, " stutters"},
          std::pair{throttles, " throttles"}, std::pair{hidden, " hidden"},
          std::pair{silent_expiries, " silent_expiries"},
          std::pair{brief_connects, " brief_connects"}})
        if (drawn)
            text += name;
    return text;
}

} // namespace turnstile::test
