// SPDX-License-Identifier: BSL-1.0
// What turnstile and its guardian tell each other. Besides, turnstile tells the key of its session,
// as session_key::str() writes it.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>

namespace turnstile::command {

/// Whether the signal asks a program to end.
inline bool asks_to_end(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// From turnstile to the guardian, one message each.
struct guard_order {
    enum class kind : std::int32_t {
        start,      ///< the program, now that the lock is held
        kill_at,    ///< SIGKILL to all that `end` would reach, at this instant
        signal,     ///< to the program's process group
        end,        ///< SIGTERM to all of the program
        clear,      ///< the same, but daemons of a program that ended by itself are left alone
        no_session, ///< there is none any more that would have to be ended
        run_line,   ///< beside the program, and as a part of it; the line and what goes into its
                    ///< environment follow, each with a zero byte at its end
    };

    kind what{};
    bool from_terminal = false;   ///< signal: the terminal's foreground group has it already
    std::int64_t value = 0;       ///< kill_at: nanoseconds of CLOCK_BOOTTIME; signal: its number;
                                  ///< start: the ZooKeeper session
    std::array<char, 40> token{}; ///< start: the fencing token as text; empty: there is none
};

/// From the guardian, or from what was to become the program, to turnstile.
struct guard_report {
    enum class kind : std::int32_t {
        started,     ///< the program
        not_started, ///< value: errno; ECANCELED: the deadline had passed
        stopped,     ///< the program waits until it is in the terminal's foreground
        ended,       ///< the program; value: as waitpid tells it. `empty` or `left` follows
        left,        ///< value: how many processes the program has left behind
        empty,       ///< nothing that must end is left; also where it was not started
        killed,      ///< the instant of `kill_at` came
        line,        ///< answer to `run_line`; value: 0, or errno where it was not started
        kept,        ///< value: a process that SIGKILL does not end; 0: /proc tells none
    };

    kind what{};
    std::int32_t value = 0;
};

} // namespace turnstile::command
