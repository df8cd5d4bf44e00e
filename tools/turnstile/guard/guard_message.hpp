// SPDX-License-Identifier: BSL-1.0
// The messages between turnstile and its guardian. A message of turnstile that is none of these is
// the key of its session, as session_key::str() writes it.
#pragma once

#include <array>
#include <csignal>
#include <cstdint>

namespace turnstile::command {

/// Whether the signal asks a program to end.
inline bool asks_to_end(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

/// From turnstile to the guardian. Each order is a message of its own.
struct guard_order {
    enum class kind : std::int32_t {
        start,      ///< start the program: the lock is held
        kill_at,    ///< at this instant, send SIGKILL to all that `end` would reach
        signal,     ///< send a signal to the program's process group
        end,        ///< send SIGTERM to all of the program
        clear,      ///< as `end`, but leave daemons alone if the program ended by itself
        no_session, ///< the guardian has no session to end: turnstile has none, or ends it itself
        run_line,   ///< run a line as a part of the program; the line and the variables of its
                    ///< environment follow, each with a zero byte at its end
    };

    kind what{};
    bool from_terminal = false;   ///< signal: the terminal's foreground group has it already
    std::int64_t value = 0;       ///< kill_at: nanoseconds of CLOCK_BOOTTIME; signal: its number;
                                  ///< start: the ZooKeeper session
    std::array<char, 40> token{}; ///< start: the fencing token as text; empty: there is none
};

/// From the guardian to turnstile. (`not_started` may come from the fork that could not become the
/// program.)
struct guard_report {
    enum class kind : std::int32_t {
        started,     ///< the program was started
        not_started, ///< value: errno; ECANCELED: the deadline had passed
        stopped,     ///< the program waits until it is in the terminal's foreground
        ended,       ///< the program has ended; value: waitpid's status. `empty` or `left` follows
        left,        ///< value: how many processes the program has left behind
        empty,       ///< no process that must end is left; also sent if none was started
        killed,      ///< the instant of `kill_at` came
        line,        ///< answer to `run_line`; value: 0, or errno if the line was not started
        kept,        ///< value: a process that SIGKILL does not end; 0: /proc does not show it
    };

    kind what{};
    std::int32_t value = 0;
};

} // namespace turnstile::command
