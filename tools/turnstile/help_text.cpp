// SPDX-License-Identifier: BSL-1.0
#include "help_text.hpp"

#include "option_list.hpp"

#include <utility>

namespace turnstile::command {

help_text::help_text() {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
    label("Subcommands", "Commands");
    column_width(26);
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
