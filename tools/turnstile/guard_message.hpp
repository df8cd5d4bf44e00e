// What turnstile and its guardian tell each other.
#pragma once

#include <array>
#include <cstdint>

namespace turnstile::command {

/// From turnstile to the guardian, one message each.
struct guard_order {
    enum class kind : std::int32_t {
        start,   ///< the program, now that the lock is held
        kill_at, ///< SIGKILL to its process group at this instant
        signal,  ///< to its process group
    };

    kind what{};
    std::int64_t value = 0;       ///< kill_at: nanoseconds of CLOCK_BOOTTIME; signal: its number
    std::array<char, 40> token{}; ///< start: the fencing token as text; empty: there is none
};

/// From the guardian, or from what was to become the program, to turnstile.
struct guard_report {
    enum class kind : std::int32_t {
        started,     ///< value: the id of the process, which is that of its group
        not_started, ///< value: errno; ECANCELED: the deadline had passed
        ended,       ///< the program; value: as waitpid tells it. `empty` or `left` follows
        left,        ///< others of the process group still run
        empty,       ///< nobody of the process group is left; also where it was not started
        killed,      ///< the instant of `kill_at` came
    };

    kind what{};
    std::int32_t value = 0;
};

} // namespace turnstile::command
