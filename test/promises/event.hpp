// SPDX-License-Identifier: BSL-1.0
// What happens to the acquires of a run, as all layers of tests tell it to the judge.
#pragma once

#include "lock_kind.hpp"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace turnstile::promises {

/// One acquire, up to the end of what it was granted. Whoever tells of them numbers them, without
/// large gaps.
using acquire_id = std::size_t;
/// A lock, as the judge numbered it.
using lock_id = std::size_t;
/// On the one clock of a run.
using instant = std::chrono::nanoseconds;
inline constexpr instant never = instant::max();

/// A fencing token.
struct token {
    std::uint64_t czxid = 0;
    std::uint64_t count = 0;
    auto operator<=>(const token&) const = default;
};

/// Where a ticket stands. Numbers of one queue can be compared; a later queue has a larger name.
struct place {
    std::uint64_t queue = 0;
    std::int64_t number = 0;
};

enum class happening : std::uint8_t {
    asks,         // starts an acquire
    granted,      // which completes it
    failed,       // which completes it, too
    cancelled,    // and where a cancel completes at once, that is over by now
    lost,         // is told so
    stops_belief, // nobody counts on the lock any more, whatever was told
    takes_other,  // holds more or less from here on
    releases,     // starts the release
    released,     // which completes it
    dies,         // its process does: nothing more is told
    excused,      // from here on a wrong belief is not its fault: its process is paused, or another
                  // hand deleted its ticket or ended its session
    excuse_over,  // one of them
};

/// What is known of a loss, by whoever tells of it.
struct loss {
    instant tell_by = never; // when it had to be told
    bool warned = true;      // a risk was told before
    bool avoidable = false;  // nothing stood in the way of a proof
    bool believed = false; // until the release, or until `stops_belief`: the margin is the holder's
};

struct event {
    happening what{};
    acquire_id who = 0;
    instant when{};
    lock_id lock = 0;    // asks
    units takes = 1;     // asks, takes_other
    acquire_id with = 0; // asks: a further handle on what that one holds; it takes nothing itself
    promises::token token{};                // granted; takes_other, where it has a new one
    std::optional<promises::place> place{}; // granted, where it is known
    promises::loss loss{};                  // lost
    bool expected = true;                   // failed, released: it has a reason
    std::string_view reason{};              // failed, released
    bool awaited = true;                    // releases: somebody wants to know the end of it
    bool tells_loss = false;                // released: by the word that it had been lost
};

} // namespace turnstile::promises
