// SPDX-License-Identifier: BSL-1.0
// The texts about a command, beside its options, for --help and the manual.
#pragma once

#include <string>
#include <vector>

namespace turnstile::command {

struct exit_text {
    std::string code{}; ///< one exit code, or several
    std::string meaning{};
};

/// One part of a manual page. Lines that begin with a blank are not wrapped.
struct manual_section {
    std::string title{};
    std::string text{};
};

struct command_text {
    std::string name{};
    std::string notes{}; ///< paragraphs
    std::vector<exit_text> exits{};
    std::string example{};
    std::vector<manual_section> more{}; ///< only for the manual
};

/// The texts about a command; empty if there are none.
const command_text& text_of(const std::string& command);

/// The exit codes that all commands share.
const std::vector<exit_text>& common_exits();

/// The environment variables that turnstile sets for programs that it runs.
const std::vector<exit_text>& told_variables();

/// The text below the options of --help.
std::string footer_of(const command_text& what);

} // namespace turnstile::command
