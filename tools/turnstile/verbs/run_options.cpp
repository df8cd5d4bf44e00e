// SPDX-License-Identifier: BSL-1.0
#include "commands.hpp"
#include "options/duration_option.hpp"

#include <CLI/App.hpp>

namespace turnstile::command {

void run_options::add_to(CLI::App& app) {
    lock_options::add_to(app);
    add_duration(app, "--at-least", at_least,
                 "Keep the lock for so long, also if the command ends sooner.\n"
                 "For a cron job on many hosts: it runs on one of them");
    add_loss_to(app);
    once_per.add_to(app);
    // --timeout has to be above four times the grace, and is an hour at most.
    add_duration(app, "--grace", grace,
                 "What the command has from SIGTERM to SIGKILL when the lock is lost.\n"
                 "Default: 3s, or less where --timeout is short",
                 {.most = std::chrono::seconds(899)});
    app.add_option(
           "--on-yield", on_yield,
           "What to do when `turnstile yield` asks for the lock: \"end\" sends SIGTERM to\n"
           "the command. Anything else is a line for sh(1), which is a part of the command,\n"
           "and finds TURNSTILE_LOCK, TURNSTILE_REASON, TURNSTILE_FROM and, to signal the\n"
           "command, TURNSTILE_PID in its environment")
        ->type_name("LINE")
        ->excludes(app.get_option("--permits"));
}

} // namespace turnstile::command
