// SPDX-License-Identifier: BSL-1.0
// How --help looks.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <string>
#include <vector>

namespace turnstile::command {

/// Writes the help of a command: CLI11 calls these functions for its parts. Which options exclude
/// each other is left out, since the descriptions say so. The arguments behind "--", of which CLI11
/// knows nothing, are added.
class help_text : public CLI::Formatter {
public:
    enum class extent {
        own, ///< the command's own options, and one line in place of those about the servers
        all, ///< all options
    };

    explicit help_text(extent shown = extent::own);

    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override;
    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_option_opts(const CLI::Option* option) const override;

private:
    const extent extent_;
};

} // namespace turnstile::command
