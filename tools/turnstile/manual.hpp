// SPDX-License-Identifier: BSL-1.0
// The manual page, made from what --help tells.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace turnstile::command {

/// As man(1) reads it.
std::string manual_of(const CLI::App& app);

} // namespace turnstile::command
