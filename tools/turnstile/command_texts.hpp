// SPDX-License-Identifier: BSL-1.0
// What --help and the manual say about a command, beside its options.
#pragma once

#include <string>
#include <vector>

namespace turnstile::command {

/// An exit code or an environment variable, and what it means.
struct term_text {
    std::string term{}; ///< also several exit codes, such as "126, 127"
    std::string meaning{};
};

/// One part of a manual page. Lines that begin with a blank are not wrapped.
struct manual_section {
    std::string title{};
    std::string text{};
};

struct command_text {
    std::string name{};
    std::string notes{}; ///< what else to know; an empty line ends a paragraph
    std::vector<term_text> exits{};
    std::string example{};
    std::vector<manual_section> sections{}; ///< the manual alone has them
};

/// The texts about a command. They are empty if there are none.
const command_text& text_of(const std::string& command);

/// The exit codes that all commands share.
const std::vector<term_text>& common_exits();

/// The environment variables that turnstile sets for the programs and shell lines that it runs.
const std::vector<term_text>& program_variables();

/// The text below the options of --help.
std::string footer_of(const command_text& about);

} // namespace turnstile::command
