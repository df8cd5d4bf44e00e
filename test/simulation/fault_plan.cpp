// SPDX-License-Identifier: BSL-1.0
#include "fault_plan.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace turnstile::test {

namespace {

struct drawn_part {
    bool fault_plan::*part;
    const char* name;
    unsigned chance; // in eight
};

// What is drawn first, each by itself. Whatever was added later is drawn after these.
constexpr std::array first_drawn{
    drawn_part{&fault_plan::cuts, "cuts", 4},
    drawn_part{&fault_plan::black_holes, "black_holes", 2},
    drawn_part{&fault_plan::outages, "outages", 1},
    drawn_part{&fault_plan::holds, "holds", 1},
    drawn_part{&fault_plan::ensemble, "ensemble", 5},
    drawn_part{&fault_plan::server_crashes, "server_crashes", 2},
    drawn_part{&fault_plan::server_pauses, "server_pauses", 2},
    drawn_part{&fault_plan::partitions, "partitions", 3},
    drawn_part{&fault_plan::lag, "lag", 2},
    drawn_part{&fault_plan::partitioned_holders, "partitioned_holders", 2},
    drawn_part{&fault_plan::impatient, "impatient", 4},
    drawn_part{&fault_plan::client_crashes, "client_crashes", 2},
    drawn_part{&fault_plan::client_pauses, "client_pauses", 1},
    drawn_part{&fault_plan::session_ends, "session_ends", 2},
    drawn_part{&fault_plan::path_deletions, "path_deletions", 2},
    drawn_part{&fault_plan::ticket_deletions, "ticket_deletions", 1},
    drawn_part{&fault_plan::foreign_tickets, "foreign_tickets", 1},
    drawn_part{&fault_plan::denials, "denials", 1},
    drawn_part{&fault_plan::readers, "readers", 3},
    drawn_part{&fault_plan::cancels, "cancels", 5},
    drawn_part{&fault_plan::small_budget, "small_budget", 1},
    drawn_part{&fault_plan::single_path, "single_path", 5}};

// The four functions below draw the parts of a plan in the order in which these were added. So a
// seed keeps its plan when a part is added at the end.

void draw_first(fault_plan& plan, std::mt19937_64& engine) {
    for (const auto& each : first_drawn)
        plan.*each.part = engine() % 8 < each.chance;
    constexpr std::array ticks{2U, 2U, 4U, 10U};
    plan.ticks = ticks.at(engine() % ticks.size());
    if (engine() % 16 == 0) { // a calm run
        const auto drawn = plan;
        plan = {};
        plan.ensemble = drawn.ensemble;
        plan.single_path = drawn.single_path;
    }
    plan.brief_rests = engine() % 32 == 0;
    plan.cancels_in_doubt = engine() % 16 == 0;
    plan.holder_returns = engine() % 16 == 0;
    if (plan.holder_returns)
        plan.ensemble = plan.partitioned_holders = plan.impatient = true;
    if (engine() % 32 == 0) { // users alone
        const auto drawn = plan;
        plan = {};
        plan.readers = plan.cancels = true;
        plan.ensemble = drawn.ensemble;
        plan.single_path = drawn.single_path;
        plan.ticks = drawn.ticks;
    }
}

void draw_rare_faults(fault_plan& plan, std::mt19937_64& engine) {
    plan.delete_denials = engine() % 16 == 0;
    plan.foreign_twins =
        engine() % 16 == 0 && !plan.ticket_deletions; // an operator would delete twins as well
    plan.repeated_cuts = engine() % 16 == 0;
    if (plan.foreign_twins || plan.repeated_cuts)
        plan.cuts = true;
    plan.throttles = engine() % 16 == 0;
    plan.read_denials = engine() % 16 == 0;
    if (plan.throttles || plan.read_denials)
        plan.cuts = true;
    if (plan.throttles && engine() % 2 == 0)
        plan.ensemble = plan.lag = true;
    plan.silent_session_ends = engine() % 16 == 0;
    if (plan.silent_session_ends)
        plan.session_ends = true;
    plan.brief_connects =
        engine() % 16 == 0 && !plan.holder_returns; // a return is to be seen without black holes
    if (plan.brief_connects)
        plan.black_holes = true;
    plan.slow_server = engine() % 16 == 0;
    if (plan.slow_server) { // all other servers are to be quick
        plan.ensemble = true;
        plan.server_crashes = plan.server_pauses = plan.partitions = plan.lag = false;
        plan.partitioned_holders = plan.holder_returns = plan.throttles = false;
    }
    plan.throttled_barriers = engine() % 16 == 0 && !plan.slow_server;
    if (plan.throttled_barriers)
        plan.ensemble = plan.partitions = plan.impatient = plan.cuts = true;
}

void draw_locks_and_work(fault_plan& plan, std::mt19937_64& engine) {
    plan.shares = engine() % 2 == 0; // not always: a reader that joins a ticket searches for none
    plan.handles = engine() % 4 == 0;
    plan.surveys = engine() % 8 == 0;
    plan.single_nodes = engine() % 4 == 0;
    plan.downgrades = engine() % 4 == 0;
    plan.semaphores = engine() % 3 == 0;
    plan.part_deletions = plan.semaphores && engine() % 8 == 0;
    plan.curator_names = engine() % 8 == 0;
    plan.limit_changes = plan.semaphores && !plan.part_deletions && engine() % 3 == 0;
    plan.upgrades = engine() % 4 == 0;
    plan.every_kind = true;
    plan.busy_beside = engine() % 2 == 0; // a session that writes all the time proves its lease
    plan.exists_needs_read = plan.read_denials && engine() % 2 == 0;
}

void draw_latest(fault_plan& plan, std::mt19937_64& engine) {
    plan.waiting_deletions = engine() % 8 == 0 && !plan.foreign_twins;
    // A holder that misses the event of its own ticket's deletion is stopped by its token alone.
    plan.lost_events = engine() % 8 == 0 && !plan.waiting_deletions && !plan.ticket_deletions;
    plan.states_tick = engine() % 2 == 0;
    if (plan.states_tick && engine() % 2 == 0) {
        constexpr std::array more{3U, 5U, 7U, 20U};
        plan.ticks = more.at(engine() % more.size());
    }
    if (engine() % 4 == 0)
        plan.late_pings = plan.lateness_borne();
    plan.newly_proved = engine() % 8 == 0 && !plan.slow_server;
    if (plan.newly_proved) {
        if (engine() % 4 != 0) // alone: another fault may part the holder from its server earlier
            plan = {.ticks = engine() % 2 == 0 ? 2 : plan.ticks, .states_tick = plan.states_tick};
        plan.newly_proved = plan.every_kind = plan.busy_beside = true; // writes between the pings
        plan.ensemble = plan.partitioned_holders = plan.single_path = true;
        plan.late_pings = plan.lateness_borne();
    }
    plan.far_reads = engine() % 4 == 0;
    plan.limited_holds = engine() % 4 == 0 && !plan.newly_proved; // a holder is to hold on there
    // A write checks its ticket by name, and a twin may have that name.
    plan.counts = engine() % 2 == 0 && !plan.foreign_twins;
    plan.followers = engine() % 4 == 0;
    plan.yields = engine() % 4 == 0;
    plan.crowds = engine() % 8 == 0 && !plan.waiting_deletions && !plan.ticket_deletions;
    if (plan.crowds) {
        plan.lost_events = true;
        plan.far_reads = false; // far from the front by the library's own setting
    }
    plan.optimized_watches = engine() % 8 == 0 && !plan.foreign_twins && !plan.lost_events;
    if (plan.optimized_watches)
        plan.waiting_deletions = true;
    plan.refusals = engine() % 8 == 0 && plan.ensemble;
    plan.kept_beside = plan.yields && engine() % 2 == 0;
    plan.made_together = engine() % 8 == 0;
    plan.create_denials = engine() % 8 == 0 && !plan.newly_proved;
    if (plan.create_denials && engine() % 2 == 0)
        plan.downgrades = plan.cuts = true;
}

} // namespace

fault_plan fault_plan::drawn_from(std::uint64_t seed) {
    std::mt19937_64 engine(seed * 7919);
    fault_plan plan;
    draw_first(plan, engine);
    draw_rare_faults(plan, engine);
    draw_locks_and_work(plan, engine);
    draw_latest(plan, engine);
    return plan;
}

// A ping comes half a tick and its lateness after the one before. That must be within the gap of
// the lease rule (docs/internals/protocol/lease.md): three quarters of a stated tick, or 3T/8.
unsigned fault_plan::lateness_borne() const {
    return (states_tick ? std::min(6U, 3 * ticks) : 3 * ticks) - 4;
}

bool fault_plan::is_calm() const {
    auto rest = *this;
    rest.ensemble = rest.single_path = rest.small_budget = rest.path_deletions = false;
    for (const auto& each : first_drawn)
        if (rest.*each.part)
            return false;
    return !cancels_in_doubt && !delete_denials && !foreign_twins && !repeated_cuts && !throttles &&
           !read_denials && !create_denials && !silent_session_ends && !brief_connects &&
           !slow_server && !throttled_barriers && !part_deletions && !waiting_deletions &&
           !lost_events && !followers && !yields &&
           !(every_kind && brief_rests); // then several locks as one have time limits
}

bool fault_plan::harms_nobody() const {
    const bool servers = server_crashes || server_pauses || throttles || slow_server ||
                         throttled_barriers || refusals;
    const bool between_servers = ensemble && (partitions || partitioned_holders || lag);
    const bool from_outside = session_ends || ticket_deletions || foreign_tickets || denials ||
                              delete_denials || foreign_twins || read_denials || create_denials ||
                              part_deletions || waiting_deletions || lost_events;
    return !cuts && !black_holes && !outages && !servers && !between_servers && !client_crashes &&
           !client_pauses && !from_outside;
}

std::string fault_plan::str() const {
    std::string text = std::to_string(ticks) + " ticks";
    for (const auto& each : first_drawn)
        if (this->*each.part)
            text += std::string(" ") + each.name;
    for (const auto& [drawn, name] : {std::pair{brief_rests, " brief_rests"},
                                      std::pair{cancels_in_doubt, " cancels_in_doubt"},
                                      std::pair{holder_returns, " holder_returns"},
                                      std::pair{delete_denials, " delete_denials"},
                                      std::pair{foreign_twins, " foreign_twins"},
                                      std::pair{repeated_cuts, " repeated_cuts"},
                                      std::pair{throttles, " throttles"},
                                      std::pair{read_denials, " read_denials"},
                                      std::pair{create_denials, " create_denials"},
                                      std::pair{exists_needs_read, " exists_needs_read"},
                                      std::pair{silent_session_ends, " silent_session_ends"},
                                      std::pair{brief_connects, " brief_connects"},
                                      std::pair{slow_server, " slow_server"},
                                      std::pair{throttled_barriers, " throttled_barriers"},
                                      std::pair{shares, " shares"},
                                      std::pair{handles, " handles"},
                                      std::pair{surveys, " surveys"},
                                      std::pair{single_nodes, " single_nodes"},
                                      std::pair{semaphores, " semaphores"},
                                      std::pair{part_deletions, " part_deletions"},
                                      std::pair{limit_changes, " limit_changes"},
                                      std::pair{downgrades, " downgrades"},
                                      std::pair{upgrades, " upgrades"},
                                      std::pair{curator_names, " curator_names"},
                                      std::pair{busy_beside, " busy_beside"},
                                      std::pair{waiting_deletions, " waiting_deletions"},
                                      std::pair{lost_events, " lost_events"},
                                      std::pair{states_tick, " states_tick"},
                                      std::pair{far_reads, " far_reads"},
                                      std::pair{crowds, " crowds"},
                                      std::pair{optimized_watches, " optimized_watches"},
                                      std::pair{limited_holds, " limited_holds"},
                                      std::pair{counts, " counts"},
                                      std::pair{followers, " followers"},
                                      std::pair{yields, " yields"},
                                      std::pair{refusals, " refusals"},
                                      std::pair{kept_beside, " kept_beside"},
                                      std::pair{made_together, " made_together"},
                                      std::pair{newly_proved, " newly_proved"}})
        if (drawn)
            text += name;
    if (late_pings > 0)
        text += " late_pings " + std::to_string(late_pings);
    return text;
}

} // namespace turnstile::test
