// SPDX-License-Identifier: BSL-1.0
#include "duration_option.hpp"
#include "run.hpp"

#include <CLI/App.hpp>

namespace turnstile::command {

void run_options::add_to(CLI::App& app) {
    app.add_option("PATH", lock.path, "The lock, such as /locks/deploy")->required();
    auto* const no_wait =
        app.add_flag("--no-wait", lock.no_wait, "Give up at once if others have the lock");
    add_duration(app, "--wait", lock.limit, "Wait for so long at most. Default: for ever")
        ->excludes(no_wait);
    add_duration(app, "--at-least", at_least,
                 "Keep the lock for so long, also if the command ends sooner.\n"
                 "For a cron job on many hosts: it runs on one of them");
    add_duration(app, "--at-most", lock.at_most,
                 "Keep the lock for so long at most: then it is lost, and the command ended",
                 {.least = std::chrono::milliseconds(1)});
    auto* const shared =
        app.add_flag("--shared", lock.shared, "Hold the lock beside others that say --shared, too");
    app.add_option("--permits", lock.permits,
                   "Take N permits of the semaphore at PATH (see `turnstile limit`)")
        ->type_name("N")
        ->check(CLI::Range(1, 1000).description(""))
        ->excludes(shared);
    app.add_option("--label", label, "Shown to others beside host and process id")
        ->type_name("TEXT");
    add_duration(
        app, "--grace", grace,
        "What the command has from SIGTERM to SIGKILL when the lock is lost.\n"
        "Default: 3s, or less where --timeout is short",
        {.most = std::chrono::seconds(899)}); // four times it is below the longest --timeout
    app.add_flag("-q,--quiet", quiet, "Do not say that others have the lock");
    connection.add_to(app);
    connection.add_acl_to(app);
    connection.add_guard_to(app);
}

} // namespace turnstile::command
