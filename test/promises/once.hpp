// SPDX-License-Identifier: BSL-1.0
// The life of an acquire and of what it was granted.
#pragma once

#include "event.hpp"

#include <cstdint>
#include <string_view>

namespace turnstile::promises {

enum class stage : std::uint8_t { unknown, waiting, held, releasing, over };

struct life {
    stage now = stage::unknown;
    bool lost = false;     // was told so
    bool released = false; // was let go of, by a release
    bool awaited = false;  // somebody waits for the end of the release
    bool unheard = false;  // nobody does
};

/// Each operation completes once, fails for a reason only, and nothing is told of what is over.
/// Takes the event into account. Empty if that is as promised; else what is wrong, and nothing has
/// changed.
std::string_view live_on(life& of, const event& next);

} // namespace turnstile::promises
