// SPDX-License-Identifier: BSL-1.0
#include "command_line.hpp"

#include "command_texts.hpp"
#include "commands.hpp"
#include "completion.hpp"
#include "exit_code.hpp"
#include "help_text.hpp"
#include "manual.hpp"
#include "option_list.hpp"
#include "text/output.hpp"
#include "text/say.hpp"

#include <CLI/Validators.hpp>
#if __has_include(<CLI/ExtraValidators.hpp>)
#include <CLI/ExtraValidators.hpp> // IsMember, from CLI11 2.6 on
#endif

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace turnstile::command {

namespace {

constexpr auto what_it_is =
    "Locks that programs on many hosts share, in Apache ZooKeeper.\n\n"
    "A lock is a path, such as /locks/deploy. You need not create it. Programs that use the same\n"
    "path use the same lock. `turnstile run` runs a command while it holds the lock, so that one\n"
    "host at a time runs it.\n";

std::string usage_footer() {
    std::string result = "Each command has its own help, such as: turnstile run --help\n"
                         "The servers are those of --server or of TURNSTILE_SERVERS: see\n"
                         "turnstile help connection\n\n"
                         "Example: turnstile run /locks/deploy -- ./deploy.sh\n\n"
                         "Exit codes of its own:\n";
    for (const auto& [code, meaning] : common_exits())
        for (auto lines = lines_of(meaning); const auto& each : lines)
            result += fmt::format("  {:<10}{}\n", &each == lines.data() ? code : "", each);
    result.pop_back();
    return result;
}

bool is_option(const std::string& argument) {
    return argument.size() > 1 && argument.front() == '-';
}

/// Splits `--option=` into the option and an empty value. CLI11 would take the next argument for
/// the value.
void split_empty_values(const CLI::App& command, std::vector<std::string>& arguments) {
    for (auto each = arguments.begin(); each != arguments.end() && *each != "--"; ++each) {
        const bool empty = each->starts_with("--") && each->ends_with('=');
        const auto name = empty ? each->substr(0, each->size() - 1) : *each;
        const auto* const option = is_option(name) ? command.get_option_no_throw(name) : nullptr;
        if (option == nullptr || option->get_items_expected_max() == 0)
            continue;
        if (empty) {
            *each = name;
            each = arguments.insert(each + 1, "");
        } else if (each + 1 != arguments.end()) {
            ++each; // its value, whatever that looks like
        }
    }
}

/// Refuses empty values: they come from a script's variable that was not set. Only a label and a
/// key may be empty.
void refuse_empty_values(CLI::App& app) {
    const CLI::Validator not_empty(
        [](const std::string& value) {
            return std::string(value.empty() ? "its value is empty" : "");
        },
        "");
    for (auto* const each : app.get_options())
        if (each->get_type_size() != 0 && each->get_name() != "--label" &&
            each->get_name() != "--key")
            each->transform(not_empty); // before all other checks
}

/// Whether an argument gave the option, and not the environment.
bool is_given(const CLI::Option& option, const std::vector<std::string>& arguments) {
    return std::ranges::any_of(arguments, [&](const std::string& each) {
        return is_option(each) && (option.check_name(each.substr(0, each.find('='))) ||
                                   option.check_name(each.substr(0, 2))); // -sLIST
    });
}

/// Calls the action for each option that may come from the environment and that no argument gave:
/// with the option, its variable, and the variable's value (null: it is not set).
template <class Action>
void for_each_variable(const CLI::App& command, const std::vector<std::string>& arguments,
                       Action action) {
    for (const auto* const each : command.get_options())
        if (const auto variable = each->get_envname();
            !variable.empty() && !is_given(*each, arguments))
            action(*each, variable, std::getenv(variable.c_str()));
}

/// Refuses an empty variable, as an empty value of an option is refused.
void refuse_empty_variables(const CLI::App& command, const std::vector<std::string>& arguments) {
    for_each_variable(
        command, arguments, [](const auto&, const std::string& variable, const char* value) {
            if (value != nullptr && *value == '\0')
                throw CLI::ValidationError(variable + " in the environment", "its value is empty");
        });
}

/// Corrects a text that blames an option whose value came from a variable: it names the variable.
std::string with_variables(std::string text, const CLI::App& command,
                           const std::vector<std::string>& arguments) {
    for_each_variable(
        command, arguments,
        [&](const CLI::Option& option, const std::string& variable, const char* value) {
            const auto name = option.get_name();
            const auto at = text.find(name);
            const auto end = at + name.size();
            // The name may begin that of another option: --tls, that of --tls-ca.
            const bool is_whole = at != text.npos && (end == text.size() || text[end] != '-');
            if (value != nullptr && is_whole)
                text.replace(at, name.size(), variable);
        });
    return text;
}

/// The parser of the command line, and the options of all commands. read() fills in the options of
/// the command that it finds, and returns the work, which refers to them. So the work must not
/// outlive this object.
class command_line {
public:
    command_line() {
        app_.formatter(std::make_shared<help_text>());
        app_.set_version_flag("--version", std::string(TURNSTILE_COMMAND_VERSION))
            ->description("Tell the version");
        app_.set_help_flag("-h,--help", "Show this help");
        app_.require_subcommand(1);
        app_.footer(usage_footer());
        add_verbs();
        add_texts();
        for (auto* const each : app_.get_subcommands([](const CLI::App*) { return true; })) {
            refuse_empty_values(*each);
            if (const auto& about = text_of(each->get_name()); !about.name.empty())
                each->footer(footer_of(about));
        }
    }

    /// Reads the arguments, without the name of the program.
    std::function<int()> read(const std::vector<std::string>& given) {
        auto arguments = given;
        option_first_ = !arguments.empty() && is_option(arguments.front());
        behind_dashes_.assign(std::ranges::find(arguments, "--"), arguments.end());
        if (!arguments.empty() && arguments.front() == "help")
            arguments.front() = "--help"; // `help run` is `run --help`
        // To `run` and `elect` what follows "--" is the program with its arguments, which CLI11
        // must not read. To the other commands "--" is the end of the options.
        const auto first = std::ranges::find_if_not(arguments, is_option);
        const auto name = first != arguments.end() ? *first : std::string();
        if (runs_program(name))
            if (const auto mark = std::ranges::find(arguments, "--"); mark != arguments.end()) {
                for (auto* const each : {&run_.program, &elect_.program})
                    each->assign(mark + 1, arguments.end());
                arguments.erase(mark, arguments.end());
            }
        for (const auto* const each :
             app_.get_subcommands([&](const CLI::App* any) { return any->get_name() == name; }))
            split_empty_values(*each, arguments);
        try {
            auto reversed = arguments; // as CLI11 wants it
            std::ranges::reverse(reversed);
            app_.parse(std::move(reversed));
            refuse_empty_variables(*app_.get_subcommands().front(), arguments);
            if (wants_program_ && run_.program.empty())
                throw CLI::ValidationError(
                    "nothing is to be run: write -- and a command after the path");
        } catch (const CLI::Success& help) {
            if (const auto fault = find_fault(); !fault.empty() && app_.get_subcommands().empty())
                return complain(fault);
            std::ostringstream text;
            app_.exit(help, text, text);
            answer_with(text.str());
        } catch (const CLI::ParseError& e) {
            const auto fault = find_fault();
            if (!fault.empty())
                return complain(fault);
            const auto chosen = app_.get_subcommands();
            const std::string what = given.empty() ? "a command is missing" : e.what();
            return complain(chosen.empty() ? what
                                           : with_variables(what, *chosen.front(), arguments));
        }
        return work_;
    }

private:
    /// Adds the commands that work with locks, servers and the guard.
    void add_verbs() {
        add_run("run", "Run a command while holding a lock", run_, &command::run);
        add_run("elect", "Run a command where a candidate of an election leads", elect_,
                &command::elect);
        add("hold", "Hold a lock for a section of a shell script", hold_, &command::hold);
        add("show", "Show who holds a lock, and who waits for it", show_, &command::show);
        add("ls", "List the locks in use at and below a path", list_, &command::list);
        add("watch", "Tell who comes, holds and leaves, until Ctrl-C", watch_, &command::watch);
        add("leader", "Tell who leads an election, or holds a lock", leader_, &command::leader);
        add("yield", "Ask the holder of a lock to let go, and wait until it has", yield_,
            &command::yield_lock);
        add("limit", "Tell or set how many may hold a semaphore at a time", limit_,
            &command::limit);
        add("break", "Delete the holder's ticket, so that it loses the lock", break_,
            &command::break_lock);
        add("drill", "Tell how near a lock comes to its loss while you restart servers", drill_,
            &command::drill);
        add("doctor", "Check the servers, and say what to change", doctor_, &command::doctor);
        add("guard", "End the sessions of processes that die, so that locks go on at once", guard_,
            &command::guard);
    }

    /// Adds the commands that only write a text about turnstile itself.
    void add_texts() {
        auto* const completing = app_.add_subcommand("completion", "Write what a shell needs to "
                                                                   "complete our command line");
        completing->add_option("SHELL", shell_, "bash, zsh or fish")
            ->required()
            ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
        completing->group("Commands");
        completing->callback([this] { answer_with(completion_of(app_, shell_)); });
        app_.add_subcommand("version", "Tell the version")->group("")->callback([this] {
            answer_with(TURNSTILE_COMMAND_VERSION "\n");
        });
        // For those who make packages.
        auto* const manual = app_.add_subcommand("manual", "Write a page of the manual");
        manual->add_option("COMMAND", page_)->check(CLI::IsMember(command_names()).description(""));
        manual->group("")->callback([this] { answer_with(manual_of(app_, page_)); });
        auto* const connection =
            app_.add_subcommand("connection", "The servers, and who we are to them");
        servers_.add_to(*connection);
        servers_.add_acl_to(*connection);
        servers_.add_guard_to(*connection);
        connection->formatter(std::make_shared<help_text>(help_text::extent::all));
        connection->group("")->callback([this, connection] { answer_with(connection->help()); });
    }

    /// The work is to print this text.
    void answer_with(std::string text) {
        work_ = [text = std::move(text)] {
            print(text);
            return static_cast<int>(exit_code::done);
        };
    }

    /// Adds a command: its options are read into `options`, and then `work` does its work.
    template <class Options>
    CLI::App* add(const char* name, const char* description, Options& options,
                  int (*work)(const Options&)) {
        auto* const result = app_.add_subcommand(name, description);
        result->group("Commands");
        options.add_to(*result);
        result->callback(
            [this, &options, work] { work_ = [&options, work] { return work(options); }; });
        return result;
    }

    /// A command that runs a program.
    template <class Options>
    void add_run(const char* name, const char* description, Options& options,
                 int (*work)(const Options&)) {
        add(name, description, options, work)->preparse_callback([this](std::size_t) {
            wants_program_ = true;
        });
    }

    std::vector<std::string> command_names() const {
        std::vector<std::string> result;
        for (const auto* const each : commands_of(app_))
            result.push_back(each->get_name());
        return result;
    }

    /// Returns what is wrong with the first argument that CLI11 could not read; empty: it read all.
    std::string find_fault() const {
        auto unread = app_.remaining(true);
        std::erase(unread, "--");
        if (unread.empty())
            return {};
        const auto& first = unread.front();
        const auto chosen = app_.get_subcommands();
        if (chosen.empty())
            return fmt::format("there is no {} '{}'", is_option(first) ? "option" : "command",
                               first);
        const auto& name = chosen.front()->get_name();
        if (is_option(first) && std::ranges::find(behind_dashes_, first) == behind_dashes_.end())
            return option_first_ &&
                           chosen.front()->get_option_no_throw(first.substr(0, first.find('=')))
                       ? fmt::format("write {0} after the command: turnstile {1} {0}", first, name)
                       : fmt::format("there is no option '{}'", first);
        return fmt::format("'{}' is one argument too many{}", first,
                           wants_program_ ? ": write -- before the command that is to be run" : "");
    }

    /// Says what is wrong. Returns the work: to end with `bad_usage`.
    std::function<int()> complain(const std::string& what) {
        std::string name = "turnstile";
        for (const auto* each : app_.get_subcommands())
            name += ' ' + each->get_name();
        say(what + "\nSee `" + name + " --help`.");
        return [] { return static_cast<int>(exit_code::bad_usage); };
    }

    CLI::App app_{what_it_is, "turnstile"};
    std::function<int()> work_{};              // the work of the command that was found
    std::string shell_{};                      // of `completion`
    std::string page_{};                       // of `manual`: a command; empty: turnstile itself
    connection_options servers_{};             // of `connection`, for its help alone
    bool wants_program_ = false;               // the command runs a program
    bool option_first_ = false;                // an option stands before the command
    std::vector<std::string> behind_dashes_{}; // arguments behind "--", which are no options
    run_options run_{};
    elect_options elect_{};
    section_options hold_{};
    drill_options drill_{};
    show_options show_{};
    list_options list_{};
    watch_options watch_{};
    leader_options leader_{};
    yield_options yield_{};
    limit_options limit_{};
    break_options break_{};
    doctor_options doctor_{};
    guard_options guard_{};
};

} // namespace

std::function<int()> work_of(int argc, char** argv) {
    // The command line lives as long as the work, which refers to its options.
    const auto line = std::make_shared<command_line>();
    return [line, work = line->read({argv + 1, argv + argc})] { return work(); };
}

} // namespace turnstile::command
