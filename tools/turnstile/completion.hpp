// SPDX-License-Identifier: BSL-1.0
// What a shell needs to complete our command line.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// A script for `bash`, `zsh` or `fish`.
std::string completion_of(const CLI::App& app, const std::string& shell);

} // namespace turnstile::command
