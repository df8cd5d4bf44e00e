// SPDX-License-Identifier: BSL-1.0
#include "help_text.hpp"

#include "option_list.hpp"

#include <utility>

namespace turnstile::command {

help_text::help_text(extent shown) : extent_(shown) {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
    label("Subcommands", "Commands");
    column_width(26);
}

std::string help_text::make_group(std::string group, bool is_positional,
                                  std::vector<const CLI::Option*> options) const {
    if (group == servers_group && extent_ == extent::own)
        return "The servers (-s,--server LIST, ...) and -v,--verbose: turnstile help "
               "connection\n";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string help_text::make_usage(const CLI::App* app, std::string name) const {
    auto text = CLI::Formatter::make_usage(app, std::move(name));
    if (runs_program(app->get_name()))
        text.insert(text.find_last_not_of('\n') + 1, " -- COMMAND [ARGUMENT...]");
    return text;
}

std::string help_text::make_option_opts(const CLI::Option* option) const {
    return option->get_positional() || option->get_type_size() == 0 ||
                   option->get_type_name().empty()
               ? ""
               : " " + option->get_type_name();
}

} // namespace turnstile::command
