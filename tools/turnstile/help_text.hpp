// SPDX-License-Identifier: BSL-1.0
// The form of --help.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <string>
#include <vector>

namespace turnstile::command {

/// Writes less than CLI11 would: which options exclude each other stands in the descriptions. And
/// it writes more: the arguments after "--", of which CLI11 knows nothing.
class help_text : public CLI::Formatter {
public:
    enum class extent {
        own, ///< the command's own options; those of the servers in one line
        all, ///< all options
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
