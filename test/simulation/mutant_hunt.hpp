// Which layers of the tests find a planted bug, and after how much.
#pragma once

#include "seed_search.hpp"
#include "small_worlds/small_world.hpp"
#include "unit_layer.hpp"

#include "protocol/mutation.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace turnstile::test {

/// The world of the exploration: neighbours of one session, a stranger, one fault. It is searched
/// in full in a fraction of a second, as are the next ones. What they lack (several servers, time
/// that passes while something is under way, tries, limits, other hands) is the simulation's alone.
inline constexpr small_limits hunted_world{.sessions = 2, .tickets = 3, .faults = 1};
/// What writers alone do not show is looked for in every mix of readers and writers.
inline constexpr small_limits hunted_readers{
    .sessions = 3, .tickets = 3, .faults = 0, .readers = true};
/// And then where writers may become readers.
inline constexpr small_limits hunted_downgrades{
    .sessions = 2, .tickets = 2, .faults = 0, .readers = true, .downgrades = true};

/// And where readers may try to become writers.
inline constexpr small_limits hunted_upgrades{
    .sessions = 2, .tickets = 2, .faults = 1, .readers = true, .upgrades = true};

/// The same with a lock of one node.
inline constexpr small_limits hunted_node = one_node_world(2, 3, 1);
/// And with a semaphore: two sessions with a fault, and three, which can stand in line.
inline constexpr small_limits hunted_leases = semaphore_world(2, 2, 1);
inline constexpr small_limits hunted_semaphore_line = semaphore_world(3, 3, 0);
/// And with two locks that are taken as one: with a fault, and with somebody who comes between.
inline constexpr small_limits hunted_multi = multi_world(2, 2, 1);
inline constexpr small_limits hunted_multi_line = multi_world(2, 3, 0);

struct mutant_catch {
    std::optional<std::uint64_t> seeds{};  // of the simulation, up to the one that showed it
    std::optional<std::uint64_t> states{}; // of the exploration, up to the one that showed it
    bool units = false;                    // a unit test of the machines fails with it

    /// The names of the layers that found it.
    std::vector<std::string_view> layers() const;
};

/// Plants bugs, one after the other. Several threads may hunt at once.
class mutant_hunt {
public:
    /// `on_failure` is told of each seed that failed.
    mutant_hunt(const seed_search::range& where, seed_search::failure_handler on_failure);

    /// Asks every layer.
    mutant_catch in_all_layers(protocol::mutant planted) const;
    /// Asks the cheapest layer first, and ends with the one that finds the bug.
    mutant_catch until_caught(protocol::mutant planted) const;

private:
    std::optional<std::uint64_t> seeds(protocol::mutant planted,
                                       const seed_search::range& where) const;

    const seed_search::range where_;
    const seed_search::failure_handler on_failure_;
    const unit_layer units_;
};

} // namespace turnstile::test
