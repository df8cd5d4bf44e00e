// SPDX-License-Identifier: BSL-1.0
// The commands and their options, as completions and the manual list them.
#pragma once

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace turnstile::command {

/// An option, or an argument such as PATH.
struct option_entry {
    std::string short_name{}; ///< with its hyphen; empty: none
    std::string long_name{};  ///< with its hyphens
    std::string value{};      ///< the name of its value; empty: it takes none
    std::string description{};
    std::string variable{};  ///< its environment variable; empty: none
    bool positional = false; ///< it is an argument, and `long_name` is the argument's name
    bool of_servers = false; ///< the manual describes it once for all commands
};

/// The group of options about the servers, and about who we are to them.
constexpr auto servers_group = "Servers";

/// The options and arguments of a command. The arguments come first.
std::vector<option_entry> options_of(const CLI::App& app);

/// The commands that the help lists. The others, such as `manual`, have no group.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

/// Whether a command runs the program that follows "--".
inline bool runs_program(const std::string& command) {
    return command == "run" || command == "elect";
}

/// Writes the text in one line.
std::string one_line(std::string text);
/// Splits the text into its lines.
std::vector<std::string> lines_of(const std::string& text);

} // namespace turnstile::command
