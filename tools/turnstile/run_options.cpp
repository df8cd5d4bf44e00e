// SPDX-License-Identifier: BSL-1.0
#include "duration_option.hpp"
#include "run.hpp"

#include <CLI/App.hpp>

namespace turnstile::command {

void run_options::add_to(CLI::App& app) {
    lock_options::add_to(app);
    add_duration(app, "--at-least", at_least,
                 "Keep the lock for so long, also if the command ends sooner.\n"
                 "For a cron job on many hosts: it runs on one of them");
    add_duration(app, "--at-most", lock.at_most,
                 "Keep the lock for so long at most: then it is lost, and the command ended",
                 {.least = std::chrono::milliseconds(1)});
    once_per.add_to(app);
    add_duration(
        app, "--grace", grace,
        "What the command has from SIGTERM to SIGKILL when the lock is lost.\n"
        "Default: 3s, or less where --timeout is short",
        {.most = std::chrono::seconds(899)}); // four times it is below the longest --timeout
    app.add_option("--on-lost", on_lost,
                   "A line for sh(1) that is run when the lock is lost, beside the end of the\n"
                   "command. It finds TURNSTILE_LOCK and TURNSTILE_REASON in its environment")
        ->type_name("LINE");
    app.add_option("--on-yield", on_yield,
                   "What to do when `turnstile yield` asks for the lock: \"end\" sends SIGTERM to\n"
                   "the command. Anything else is a line for sh(1), which finds TURNSTILE_LOCK,\n"
                   "TURNSTILE_REASON and TURNSTILE_FROM in its environment")
        ->type_name("LINE")
        ->excludes(app.get_option("--permits"));
}

} // namespace turnstile::command
