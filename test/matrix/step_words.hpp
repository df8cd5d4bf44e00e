// What the lists of steps are written with.
#pragma once

#include "step.hpp"

namespace turnstile::matrix::words {

using test::op;
using enum standing;
using enum frame_pattern::about;

inline constexpr bool alone = false;
inline constexpr bool behind = true;
inline constexpr auto up = test::direction::to_server;
inline constexpr auto down = test::direction::to_client;

/// The unlucky one finds out what became of a request, whose answer was lost.
constexpr step after_lost(std::string_view name, bool behind_holder, frame_pattern frame,
                          frame_pattern lost, trigger lost_by) {
    return {.name = name,
            .behind_holder = behind_holder,
            .from = unresolved,
            .cause = trigger::way_back,
            .frame = frame,
            .lost = lost,
            .lost_by = lost_by};
}

/// The same step with others in it.
constexpr step by(cast who, step what) {
    what.who = who;
    return what;
}

} // namespace turnstile::matrix::words
