// SPDX-License-Identifier: BSL-1.0
// How --help looks.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <string>

namespace turnstile::command {

/// Less than CLI11 would tell: what excludes what is in the descriptions, or is told when it
/// matters. And more: CLI11 knows nothing of what follows "--".
class help_text : public CLI::Formatter {
public:
    help_text();

    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
};

} // namespace turnstile::command
