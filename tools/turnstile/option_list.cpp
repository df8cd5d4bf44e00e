// SPDX-License-Identifier: BSL-1.0
#include "option_list.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace turnstile::command {

std::vector<option_entry> options_of(const CLI::App& app) {
    std::vector<option_entry> result;
    for (const auto* each : app.get_options()) {
        option_entry entry{.description = each->get_description(),
                           .variable = each->get_envname(),
                           .positional = each->get_positional(),
                           .of_servers = each->get_group() == servers_group};
        if (each->get_type_size() != 0)
            entry.value = each->get_type_name();
        if (!each->get_snames().empty())
            entry.short_name = "-" + each->get_snames().front();
        entry.long_name = entry.positional ? each->get_name() : "--" + each->get_lnames().front();
        result.push_back(std::move(entry));
    }
    std::ranges::stable_sort(result, {}, [](const auto& each) { return !each.positional; });
    return result;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::string one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        result.push_back(std::move(line));
    return result;
}

} // namespace turnstile::command
