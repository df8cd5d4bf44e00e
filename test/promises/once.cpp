// SPDX-License-Identifier: BSL-1.0
#include "once.hpp"

#include <utility>

namespace turnstile::promises {

namespace {

constexpr std::string_view good;

std::string_view complete(life& of, stage next) {
    if (of.now == stage::unknown)
        return "never asked for";
    if (of.now != stage::waiting)
        return "two completions of one acquire";
    of.now = next;
    return good;
}

std::string_view lose(life& of) {
    if (of.lost)
        return "lost told twice";
    // Without anybody who hears of its end, a release may still be under way.
    if (of.now != stage::held && of.now != stage::releasing && !of.unheard)
        return "lost, though it was not held";
    of.lost = true;
    if (of.now == stage::held) // a release goes on, and tells how it ends
        of.now = stage::over;
    return good;
}

/// Of what was lost, too: it may stand until its deadline.
std::string_view release(life& of, bool awaited) {
    if (of.released)
        return "released twice";
    if (of.now != stage::held && !of.lost)
        return "released, though it was not held";
    of.released = true;
    of.now = awaited ? stage::releasing : stage::over;
    of.awaited = awaited;
    of.unheard = !awaited;
    return good;
}

std::string_view end_release(life& of) {
    if (!of.released)
        return "its release ended, though nobody had asked for it";
    if (!std::exchange(of.awaited, false))
        return "two completions of one release";
    of.now = stage::over;
    return good;
}

} // namespace

std::string_view live_on(life& of, const event& next) {
    switch (next.what) {
    case happening::asks:
        return std::exchange(of.now, stage::waiting) == stage::unknown ? good : "asked twice";
    case happening::granted:
        return complete(of, stage::held);
    case happening::failed:
        return complete(of, stage::over);
    case happening::cancelled:
        return of.now == stage::waiting ? "is not over after its cancel" : good;
    case happening::lost:
        return lose(of);
    case happening::releases:
        return release(of, next.awaited);
    case happening::released:
        return end_release(of);
    case happening::dies:
        of = {.now = stage::over};
        return good;
    case happening::stops_belief:
    case happening::takes_other:
    case happening::excused:
    case happening::excuse_over:
        break;
    }
    return good;
}

} // namespace turnstile::promises
