// SPDX-License-Identifier: BSL-1.0
// The commands: the options of each, and the function that does its work. A function returns the
// exit code, and throws command_failure.
#pragma once

#include "options/lock_options.hpp"
#include "taking/once_period.hpp"
#include "verbs/path_command.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

/// turnstile run: a program under a lock.
struct run_options : lock_options {
    std::optional<std::chrono::milliseconds> grace{};
    std::chrono::milliseconds at_least{0};
    once_period once_per{};
    std::string on_yield{}; ///< a line for sh(1), or "end"; empty: no request is awaited
    std::vector<std::string> program{}; ///< and its arguments

    void add_to(CLI::App& app);
};

int run(const run_options& how);

/// turnstile elect: a program that runs while this candidate leads.
struct elect_options : run_options {
    void add_to(CLI::App& app);
};

inline int elect(const elect_options& how) { return run(how); }

/// turnstile hold: a lock that is held until the standard input ends, for a section of a script.
struct section_options : lock_options {
    void add_to(CLI::App& app);
};

int hold(const section_options& how);

/// turnstile drill: shows how near a lock comes to its loss while servers are restarted.
struct drill_options : lock_options {
    std::optional<std::chrono::milliseconds> length{}; ///< nothing: it goes on until a signal

    void add_to(CLI::App& app);
};

int drill(const drill_options& how);

/// turnstile show: says who holds a lock, and who waits for it.
struct show_options : path_options {
    std::size_t most = 50; ///< how many tickets are read, from the first on

    void add_to(CLI::App& app);
};

int show(const show_options& how);

/// turnstile ls: lists the locks below a node.
struct list_options : path_options {
    std::size_t most = 10'000; ///< at most this many nodes are looked at

    void add_to(CLI::App& app);
};

int list(const list_options& how);

/// turnstile watch: shows the changes of a lock as they happen, until SIGINT or SIGTERM.
struct watch_options : path_options {
    std::chrono::milliseconds every{1'000};

    void add_to(CLI::App& app);
};

int watch(const watch_options& how);

/// turnstile leader: says who leads an election.
struct leader_options : path_options {
    bool watch = false; ///< show each change, until SIGINT or SIGTERM

    void add_to(CLI::App& app);
};

int leader(const leader_options& how);

/// turnstile yield: asks the holder of a lock to yield it.
struct yield_options : path_options {
    std::string reason{};
    std::optional<std::chrono::milliseconds> limit{}; ///< limit of the wait; nothing: none

    void add_to(CLI::App& app);
};

int yield_lock(const yield_options& how);

/// turnstile limit: shows or sets how many permits a semaphore has.
struct limit_options : path_options {
    std::optional<std::uint32_t> limit{}; ///< the limit to set; nothing: it shows the limit
    bool remove = false;

    void add_to(CLI::App& app);
};

int limit(const limit_options& how);

/// turnstile break: deletes a ticket of another process.
struct break_options : path_options {
    std::string ticket{}; ///< which ticket; empty: the holder's
    bool yes = false;     ///< it deletes without a question

    void add_to(CLI::App& app);
};

int break_lock(const break_options& how);

/// turnstile doctor: says whether locks can work with these servers. It returns 0 if all is well, 1
/// with warnings, 2 with errors.
struct doctor_options : path_options {
    void add_to(CLI::App& app);
};

int doctor(const doctor_options& how);

/// turnstile guard: ends the sessions of processes that have died.
struct guard_options {
    std::string socket{};
    std::string mode{"0660"};
    std::chrono::milliseconds settle{};
    bool verbose = false;

    void add_to(CLI::App& app);
};

int guard(const guard_options& how);

} // namespace turnstile::command
