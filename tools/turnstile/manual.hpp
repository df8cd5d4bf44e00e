// SPDX-License-Identifier: BSL-1.0
// The pages of the manual, made from the texts of --help.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// Writes the page of a command for man(1). An empty name stands for turnstile itself. `app` is the
/// parser, which has all commands and options.
std::string manual_of(const CLI::App& app, const std::string& command);

} // namespace turnstile::command
