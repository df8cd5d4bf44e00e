// SPDX-License-Identifier: BSL-1.0
#include "options/lock_options.hpp"

#include "options/duration_option.hpp"
#include "options/key_option.hpp"
#include "options/number_option.hpp"

#include <CLI/App.hpp>

#include <optional>

namespace turnstile::command {

namespace {

constexpr std::chrono::hours for_ever{24 * 365};

} // namespace

void lock_options::add_to(CLI::App& app) {
    app.add_option("PATH", lock.path, "The lock, such as /locks/deploy")->required();
    add_key(app, lock.path);
    auto* const no_wait =
        app.add_flag("--no-wait", lock.no_wait, "Give up at once if others have the lock");
    add_duration(app, "--wait", lock.limit, "Wait for so long at most. Default: for ever")
        ->excludes(no_wait);
    takes_number(app.add_option("-E,--conflict-exit-code", conflict_code,
                                "The exit code if others have the lock. Default: 122")
                     ->type_name("CODE"),
                 0, 255);
    auto* const shared =
        app.add_flag("--shared", lock.shared, "Hold the lock beside others that say --shared, too");
    takes_number(app.add_option("--permits", lock.permits,
                                "Take N permits of the semaphore at PATH (see `turnstile limit`)")
                     ->type_name("N")
                     ->excludes(shared),
                 1, 1000);
    app.add_option("--label", label, "Shown to others beside host and process id")
        ->type_name("TEXT");
    app.add_flag("-q,--quiet", quiet, "Do not say that others have the lock");
    connection.add_to(app);
    connection.add_acl_to(app);
    connection.add_guard_to(app);
}

void lock_options::add_loss_to(CLI::App& app) {
    add_duration(app, "--at-most", lock.at_most,
                 "Keep the lock for so long at most: then it is lost, and the exit code 119",
                 {.least = std::chrono::milliseconds(1)});
    app.add_option("--on-lost", on_lost,
                   "A line for sh(1) that is run when the lock is lost. It finds TURNSTILE_LOCK\n"
                   "and TURNSTILE_REASON in its environment")
        ->type_name("LINE");
}

session_options lock_options::for_session() const {
    auto result = connection.for_session(lock.is_try() ? std::nullopt : lock.limit);
    result.label = label;
    if (!lock.is_try()) // the limit of the wait is --wait, whatever the servers do
        result.unreachable_limit = for_ever;
    return result;
}

} // namespace turnstile::command
