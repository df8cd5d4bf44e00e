// SPDX-License-Identifier: BSL-1.0
#include "text/text_table.hpp"

#include "text/printable.hpp"

#include <algorithm>
#include <cstddef>

namespace turnstile::command {

std::string text_table(const std::vector<table_row>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& each : rows) {
        widths.resize(each.size());
        for (std::size_t i = 0; i < widths.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(each[i]));
    }
    std::string result;
    for (const auto& each : rows) {
        std::string line;
        for (std::size_t i = 0; i < widths.size(); ++i)
            line += "  " + each[i] + std::string(widths[i] - columns_of(each[i]), ' ');
        result += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
    return result;
}

} // namespace turnstile::command
