// SPDX-License-Identifier: BSL-1.0
// An option that the environment can give as well.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// The help says the variable's name behind the text. `type`: what the help calls the value.
inline void add_text_option(CLI::App& app, const char* group, const char* option, std::string& to,
                            const char* variable, const char* type, const std::string& text) {
    app.add_option(option, to, text + ", or " + variable)
        ->envname(variable)
        ->type_name(type)
        ->group(group);
}

} // namespace turnstile::command
