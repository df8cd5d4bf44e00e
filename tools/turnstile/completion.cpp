// SPDX-License-Identifier: BSL-1.0
#include "completion.hpp"

#include "option_list.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace turnstile::command {

namespace {

using texts = std::vector<std::string>;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Puts the text between single quotes. `quote` stands for a quote inside it: the shells differ.
std::string quoted(const std::string& text, const std::string& quote) {
    return '\'' + replaced(one_line(text), "'", quote) + '\'';
}

texts words_of(const CLI::App& app) {
    texts result;
    for (const auto& each : options_of(app)) {
        if (each.positional)
            continue;
        if (!each.short_name.empty())
            result.push_back(each.short_name);
        result.push_back(each.long_name);
    }
    return result;
}

/// The names of options that take a value: either those that take a file, or the others.
texts takers_of(const CLI::App& app, bool file) {
    texts result;
    for (const auto& each : options_of(app)) {
        if (each.positional || each.value.empty() || (each.value == "FILE") != file)
            continue;
        if (!each.short_name.empty())
            result.push_back(each.short_name);
        result.push_back(each.long_name);
    }
    return result;
}

std::string bash_of(const CLI::App& app) {
    std::string cases;
    texts names;
    for (const auto* each : commands_of(app)) {
        names.push_back(each->get_name());
        cases +=
            fmt::format("    {})\n        words='{}' files='{}' values='{}' ;;\n", each->get_name(),
                        fmt::join(words_of(*each), " "), fmt::join(takers_of(*each, true), " "),
                        fmt::join(takers_of(*each, false), " "));
    }
    return fmt::format(R"(# bash completion of turnstile
_turnstile() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} last=${{COMP_WORDS[COMP_CWORD - 1]}}
    local command='' words files='' values='' i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${{COMP_WORDS[i]}} in
        --) # the command to run, and its arguments
            if ((i + 1 == COMP_CWORD)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$current")
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$current")
            fi
            return ;;
        help | {names})
            [[ -n $command ]] || command=${{COMP_WORDS[i]}} ;;
        esac
    done
    case $command in
    '') words='{own} help {commands}' ;;
    help) words='connection {commands}' ;;
{cases}    esac
    if [[ " $files " == *" $last "* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
    elif [[ " $values " != *" $last "* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    fi
}}
complete -F _turnstile turnstile
)",
                       fmt::arg("names", fmt::format("{}", fmt::join(names, "|"))),
                       fmt::arg("own", fmt::format("{}", fmt::join(words_of(app), " "))),
                       fmt::arg("commands", fmt::format("{}", fmt::join(names, " "))),
                       fmt::arg("cases", cases));
}

std::string zsh_text(const std::string& text) {
    auto result = one_line(text);
    for (const auto* mark : {"\\", "[", "]", ":"})
        result = replaced(std::move(result), mark, std::string("\\") + mark);
    return replaced(std::move(result), "'", "'\\''");
}

std::string zsh_option(const option_entry& each) {
    const auto value = each.value.empty()     ? ""
                       : each.value == "FILE" ? ":file:_files"
                                              : ':' + zsh_text(each.value) + ':';
    const auto names = each.short_name.empty() ? fmt::format("'{}", each.long_name)
                                               : fmt::format("'({0} {1})'{{{0},{1}}}'",
                                                             each.short_name, each.long_name);
    return fmt::format("{}[{}]{}'", names, zsh_text(each.description), value);
}

std::string zsh_of(const CLI::App& app) {
    std::string commands;
    std::string cases;
    std::string names;
    for (const auto* each : commands_of(app)) {
        names += ' ' + each->get_name();
        commands +=
            fmt::format("        '{}:{}'\n", each->get_name(), zsh_text(each->get_description()));
        cases += fmt::format("        {})\n            _arguments \\\n", each->get_name());
        for (const auto& option : options_of(*each))
            if (!option.positional)
                cases += fmt::format("                {} \\\n", zsh_option(option));
        cases += "                '*: :_default' ;;\n";
    }
    std::string own;
    for (const auto& option : options_of(app))
        own += fmt::format("        {} \\\n", zsh_option(option));
    return fmt::format(R"(#compdef turnstile
_turnstile() {{
    local state line
    local -a commands=(
        'help:Show the help of a command'
{commands})
    _arguments -C \
{own}        '1: :->command' '*:: :->rest'
    case $state in
    command) _describe command commands ;;
    rest)
        case $line[1] in
        help)
            compadd connection{names} ;;
{cases}        esac ;;
    esac
}}
_turnstile "$@"
)",
                       fmt::arg("commands", commands), fmt::arg("own", own),
                       fmt::arg("names", names), fmt::arg("cases", cases));
}

std::string fish_option(const std::string& where, const option_entry& each) {
    const auto letter = each.short_name.empty() ? "" : " -s " + each.short_name.substr(1);
    const auto value = each.value.empty() ? "" : each.value == "FILE" ? " -r -F" : " -x";
    return fmt::format("complete -c turnstile -n '{}' -l {}{}{} -d {}\n", where,
                       each.long_name.substr(2), letter, value, quoted(each.description, "\\'"));
}

std::string fish_of(const CLI::App& app) {
    std::string result = "# fish completion of turnstile\ncomplete -c turnstile -f\n"
                         "complete -c turnstile -n __fish_use_subcommand -a help "
                         "-d 'Show the help of a command'\n"
                         "complete -c turnstile -n '__fish_seen_subcommand_from help' "
                         "-a connection\n";
    for (const auto& option : options_of(app))
        result += fish_option("__fish_use_subcommand", option);
    for (const auto* each : commands_of(app)) {
        result += fmt::format("complete -c turnstile -n __fish_use_subcommand -a {} -d {}\n",
                              each->get_name(), quoted(each->get_description(), "\\'"));
        result += fmt::format("complete -c turnstile -n '__fish_seen_subcommand_from help' -a {}\n",
                              each->get_name());
        for (const auto& option : options_of(*each))
            if (!option.positional)
                result += fish_option("__fish_seen_subcommand_from " + each->get_name(), option);
    }
    return result;
}

} // namespace

std::string completion_of(const CLI::App& app, const std::string& shell) {
    return shell == "bash" ? bash_of(app) : shell == "zsh" ? zsh_of(app) : fish_of(app);
}

} // namespace turnstile::command
