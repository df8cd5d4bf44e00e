// SPDX-License-Identifier: BSL-1.0
// How --help looks.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <string>
#include <vector>

namespace turnstile::command {

/// Less than CLI11 would tell: what excludes what is in the descriptions, or is told when it
/// matters. And more: CLI11 knows nothing of what follows "--".
class help_text : public CLI::Formatter {
public:
    enum class extent {
        own, ///< the options of the servers in one line
        all,
    };

    explicit help_text(extent what = extent::own);

    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override;
    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_option_opts(const CLI::Option* option) const override;

private:
    const extent extent_;
};

} // namespace turnstile::command
