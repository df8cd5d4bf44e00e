// SPDX-License-Identifier: BSL-1.0
// What --help and the manual tell of a command beside its options.
#pragma once

#include <string>
#include <vector>

namespace turnstile::command {

struct exit_text {
    std::string code{}; ///< or several
    std::string meaning{};
};

/// One part of a manual page. Lines that begin with a blank stand as they are.
struct manual_section {
    std::string title{};
    std::string text{};
};

struct command_text {
    std::string name{};
    std::string notes{}; ///< paragraphs
    std::vector<exit_text> exits{};
    std::string example{};
    std::vector<manual_section> more{}; ///< of the manual alone
};

/// Empty where nothing is told of the command.
const command_text& text_of(const std::string& command);

/// Those that every command has in common.
const std::vector<exit_text>& common_exits();

/// The variables that turnstile sets for what it runs.
const std::vector<exit_text>& told_variables();

/// What stands below the options of --help.
std::string footer_of(const command_text& what);

} // namespace turnstile::command
