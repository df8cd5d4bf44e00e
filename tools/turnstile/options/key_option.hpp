// SPDX-License-Identifier: BSL-1.0
// The option --key: a lock for each key, at a path of its own.
#pragma once

#include <turnstile/lock_name.hpp>

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// Adds --key, which appends the key's name to `path`. PATH must be added before it: CLI11 reads
/// options in the order in which they were added.
inline void add_key(CLI::App& app, std::string& path) {
    app.add_option_function<std::string>(
           "--key",
           [&path](const std::string& key) {
               path += (path.ends_with('/') ? "" : "/") + lock_name(key);
           },
           "The lock is PATH/NAME. NAME stands for TEXT, which may be anything\n"
           "(lock_name of the library). In a script: --key=\"$KEY\"")
        ->type_name("TEXT");
}

} // namespace turnstile::command
