// SPDX-License-Identifier: BSL-1.0
// Scripts by which a shell completes our command line.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// Returns the script for `bash`, `zsh` or `fish`.
std::string completion_of(const CLI::App& app, const std::string& shell);

} // namespace turnstile::command
