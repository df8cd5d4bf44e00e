// turnstile: locks on the command line.
#include "command_failure.hpp"
#include "help_text.hpp"
#include "run.hpp"
#include "say.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace turnstile::command;

int main_of(int argc, char** argv) {
    // What follows "--" is the program's, and no part of it is ours to read.
    const std::vector<std::string> all(argv + 1, argv + argc);
    const auto mark = std::find(all.begin(), all.end(), "--");
    std::vector<std::string> program;
    if (mark != all.end())
        program.assign(mark + 1, all.end());

    CLI::App app{"Locks that programs on many hosts share, in Apache ZooKeeper.", "turnstile"};
    app.formatter(std::make_shared<help_text>());
    app.set_version_flag("--version", std::string(TURNSTILE_COMMAND_VERSION));
    app.require_subcommand(1);
    std::function<int()> chosen;

    run_options running;
    auto* const run_command = app.add_subcommand("run", "Run a command while holding a lock");
    running.add_to(*run_command);
    run_command->footer(
        "The exit code is the command's, or 128 + N if signal N ended it, or\n"
        "  120  an option or an argument is wrong\n"
        "  121  no server answers\n"
        "  122  others have the lock\n"
        "  123  the lock was lost, and the command was ended\n"
        "  124  a server refused: a right is missing, or another kind of lock is there\n"
        "  125  turnstile itself failed\n"
        "  126, 127  the command cannot be run, or is not there\n"
        "The command finds TURNSTILE_LOCK and TURNSTILE_FENCING_TOKEN in its environment.\n"
        "Example: turnstile run --no-wait --at-least 10m /locks/nightly -- ./nightly.sh");
    run_command->callback([&] {
        if (program.empty())
            throw CLI::ValidationError(
                "nothing is to be run: write -- and a command after the path");
        running.program = program;
        chosen = [&] { return run(running); };
    });

    std::vector<std::string> own(all.begin(), mark);
    std::reverse(own.begin(), own.end()); // as CLI11 wants it
    try {
        app.parse(own);
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& e) {
        if (app.get_subcommands().empty() && !all.empty() && !all.front().starts_with('-')) {
            say("there is no command '" + all.front() + "'\nSee `turnstile --help`.");
            return static_cast<int>(exit_code::bad_usage);
        }
        const auto* which = &app;
        for (const auto* each : app.get_subcommands())
            which = each;
        say(std::string(e.what()) + "\nSee `" + (which == &app ? "" : "turnstile ") +
            which->get_name() + " --help`.");
        return static_cast<int>(exit_code::bad_usage);
    }
    return chosen();
}

} // namespace

int main(int argc, char** argv) {
    try {
        return main_of(argc, argv);
    } catch (const command_failure& e) {
        say(e.what());
        return static_cast<int>(e.code());
    } catch (const std::exception& e) {
        say(e.what());
        return static_cast<int>(exit_code::failed);
    }
}
