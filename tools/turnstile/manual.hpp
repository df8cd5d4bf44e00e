// SPDX-License-Identifier: BSL-1.0
// The pages of the manual, made from what --help tells.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// As man(1) reads it: the page of a command, or that of turnstile where the name is empty.
std::string manual_of(const CLI::App& app, const std::string& command);

} // namespace turnstile::command
