// SPDX-License-Identifier: BSL-1.0
// What a kind of lock promises, as far as whoever judges it has to know.
#pragma once

#include <cstdint>
#include <string_view>

namespace turnstile::promises {

/// What a holder takes of a lock.
using units = std::uint64_t;

/// A kind of lock is described here, and nowhere else: simulation, fault matrix and
/// checker ask these questions of it.
struct lock_kind {
    std::string_view name{};
    /// Units there are. Holders may hold together as long as they do not take more.
    units places = 1;
    /// Of two grants that exclude each other, the later one has the larger token.
    bool tokens_grow = true;
    /// Two grants that exclude each other come in the order of their places in the queue.
    bool in_order = true;

    /// What an exclusive holder takes.
    constexpr units all() const { return places; }
    constexpr bool fits(units held, units more) const {
        return held <= places && more <= places - held;
    }
    constexpr bool exclude(units one, units other) const { return !fits(one, other); }
};

inline constexpr lock_kind mutex{.name = "mutex"};

/// A reader takes one unit, a writer all. A mutex of the same path is a writer.
inline constexpr units reader = 1;
inline constexpr lock_kind shared_mutex{.name = "shared_mutex", .places = units{1} << 32};

/// Stores must not compare tokens of a semaphore that several may hold.
constexpr lock_kind semaphore(units places) {
    return {.name = "semaphore", .places = places, .tokens_grow = places == 1};
}

/// Whoever comes first takes it: nobody stands in a queue.
inline constexpr lock_kind single_node_mutex{.name = "single_node_mutex", .in_order = false};

/// Several locks as one. Whoever takes a part of them stands in the way of whoever takes all.
inline constexpr lock_kind multi_lock{.name = "multi_lock"};

} // namespace turnstile::promises
