// SPDX-License-Identifier: BSL-1.0
// An option that may come from the environment, too.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// Adds an option for a text, or else its variable in the environment. The help tells `text` and
/// the variable. `type`: the name of the value there.
inline void add_text_option(CLI::App& app, const char* group, const char* option, std::string& to,
                            const char* variable, const char* type, const std::string& text) {
    app.add_option(option, to, text + ", or " + variable)
        ->envname(variable)
        ->type_name(type)
        ->group(group);
}

} // namespace turnstile::command
