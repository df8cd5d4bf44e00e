// SPDX-License-Identifier: BSL-1.0
#include "manual.hpp"

#include "command_texts.hpp"
#include "option_list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace turnstile::command {

namespace {

/// Escapes a text so that roff shows it unchanged.
std::string escaped(const std::string& text) {
    std::string result;
    bool at_line_start = true;
    for (const char each : text) {
        if (at_line_start && (each == '.' || each == '\''))
            result += "\\&";
        if (each == '-')
            result += "\\-";
        else if (each == '\\')
            result += "\\e";
        else
            result += each;
        at_line_start = each == '\n';
    }
    return result;
}

// Most functions below return a piece of roff. They escape the texts that they get.

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }

/// An entry of a list. `term` is roff already.
std::string entry_of(const std::string& term, const std::string& text) {
    return ".TP\n" + term + '\n' + escaped(one_line(text)) + '\n';
}

std::string entry_of(const option_entry& option) {
    if (option.positional)
        return entry_of("\\fI" + escaped(option.long_name) + "\\fR", option.description);
    return entry_of((option.short_name.empty() ? "" : bold(option.short_name) + ", ") +
                        bold(option.long_name) +
                        (option.value.empty() ? "" : " \\fI" + escaped(option.value) + "\\fR"),
                    option.description);
}

/// One or more paragraphs. An empty line of the text separates two of them.
std::string paragraphs_of(const std::string& text) {
    std::string result;
    for (const auto& line : lines_of(text))
        result += line.empty() ? ".PP\n" : escaped(line) + '\n';
    return result;
}

std::string usage_of(const CLI::App& app) {
    std::string result = bold("turnstile " + app.get_name()) + " [\\fIOPTIONS\\fR]";
    for (const auto& each : options_of(app))
        if (each.positional) {
            const bool required = app.get_option(each.long_name)->get_required();
            result +=
                (required ? " \\fI" : " [\\fI") + each.long_name + (required ? "\\fR" : "\\fR]");
        }
    if (runs_program(app.get_name()))
        result += " \\-\\- \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]";
    return result + '\n';
}

std::string page_name(const std::string& command) {
    return command.empty() ? "turnstile" : "turnstile-" + command;
}

/// The head of a page: its title, its name, and the title of its synopsis. The name has the
/// description behind it, which begins without a capital there.
std::string head_of(const std::string& command, std::string description) {
    auto title = page_name(command);
    std::ranges::transform(title, title.begin(),
                           [](unsigned char each) { return std::toupper(each); });
    description.front() =
        static_cast<char>(std::tolower(static_cast<unsigned char>(description.front())));
    return fmt::format(".TH {} 1 \"\" \"turnstile {}\" \"User Commands\"\n"
                       ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
                       escaped(title), TURNSTILE_COMMAND_VERSION, escaped(page_name(command)),
                       escaped(description));
}

std::string exits_of(const std::vector<term_text>& exits) {
    std::string result = ".SH EXIT STATUS\n";
    for (const auto& [code, meaning] : exits)
        result += entry_of(bold(code), meaning + '.');
    return result;
}

std::string see_also(const std::vector<std::string>& pages) {
    std::string result = ".SH SEE ALSO\n";
    for (const auto& each : pages)
        result += fmt::format("{}(1){}\n", bold(each), &each == &pages.back() ? "" : ",");
    return result;
}

/// The page of one command. Options about the servers are only named in it.
std::string page_of(const CLI::App& app) {
    const auto& name = app.get_name();
    const auto& about = text_of(name);
    auto result = head_of(name, app.get_description()) + usage_of(app);
    result += ".SH DESCRIPTION\n" + escaped(app.get_description()) + ".\n";
    if (!about.notes.empty())
        result += ".PP\n" + paragraphs_of(about.notes);
    result += ".SH OPTIONS\n";
    bool asks_servers = false;
    for (const auto& each : options_of(app)) {
        if (!each.of_servers)
            result += entry_of(each);
        asks_servers = asks_servers || each.of_servers;
    }
    if (asks_servers) {
        result += ".PP\nThese say where the servers are, and who we are to them. They are "
                  "described in \\fBturnstile\\fR(1):\n";
        for (const auto& each : options_of(app))
            if (each.of_servers)
                result += bold(each.long_name) + '\n';
    }
    for (const auto& [title, text] : about.sections)
        result += ".SH " + title + '\n' + paragraphs_of(text);
    result += exits_of(about.exits) + (about.exits.empty() ? "All" : ".PP\nThe others") +
              " are described in \\fBturnstile\\fR(1).\n";
    result += ".SH EXAMPLES\n.nf\n" + escaped(about.example) + "\n.fi\n";
    return result + see_also({"turnstile"});
}

/// The page of turnstile itself, with the commands and what they share.
std::string main_page(const CLI::App& app) {
    auto result = head_of("", "locks that programs on many hosts share");
    result +=
        "\\fBturnstile\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIPATH\\fR]\n"
        ".SH DESCRIPTION\n"
        "A lock is a path in Apache ZooKeeper, such as /locks/deploy. It need not be created. "
        "Programs that use the same path use the same lock, whichever hosts they run on. "
        "\\fBturnstile run\\fR runs a command while it holds a lock. The other commands look "
        "at locks, change them, or check the servers.\n"
        ".PP\nEach command has a page of its own, such as \\fBturnstile\\-run\\fR(1). "
        "\\fBturnstile help\\fR \\fICOMMAND\\fR tells its options.\n"
        ".SH COMMANDS\n";
    std::vector<std::string> pages;
    for (const auto* each : commands_of(app)) {
        pages.push_back(page_name(each->get_name()));
        result += entry_of(bold(each->get_name()), each->get_description() + '.');
    }
    result += ".SH OPTIONS\n";
    for (const auto& each : options_of(app))
        result += entry_of(each);
    result += ".SS The servers, and who we are to them\n"
              "These are for all commands that ask the servers, \\fB\\-\\-acl\\fR for those that "
              "make nodes.\n";
    // This hidden command has all options about the servers.
    const auto servers = options_of(*app.get_subcommand("connection"));
    for (const auto& each : servers)
        if (each.of_servers)
            result += entry_of(each);
    result += exits_of(common_exits());
    result += ".PP\nAn exit code of the command that is run is passed on, also where it is one of "
              "these.\n.SH ENVIRONMENT\n";
    for (const auto& each : servers)
        if (!each.variable.empty())
            result +=
                entry_of(bold(each.variable), "Counts where " + each.long_name + " is not given.");
    for (const auto& [name, meaning] : program_variables())
        result += entry_of(bold(name), meaning);
    result += entry_of(bold("KRB5CCNAME"), "The ticket cache of Kerberos.");
    result += entry_of(bold("TERM"), "Where it is dumb, no line of a wait is kept up to date.");
    return result + see_also(pages);
}

} // namespace

std::string manual_of(const CLI::App& app, const std::string& command) {
    return command.empty() ? main_page(app) : page_of(*app.get_subcommand(command));
}

} // namespace turnstile::command
