// SPDX-License-Identifier: BSL-1.0
// An option that can come from the environment, too.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// The help has the variable's name behind the text. `type`: the name of the value in the help.
inline void add_text_option(CLI::App& app, const char* group, const char* option, std::string& to,
                            const char* variable, const char* type, const std::string& text) {
    app.add_option(option, to, text + ", or " + variable)
        ->envname(variable)
        ->type_name(type)
        ->group(group);
}

} // namespace turnstile::command
