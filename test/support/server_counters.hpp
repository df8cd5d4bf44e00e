// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "four_letter_word.hpp"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace turnstile::test {

/// One reading of a server's `mntr` statistics, such as zk_packets_received or
/// zk_max_node_deleted_watch_count. Values that are no numbers are left out.
struct server_counters {
    std::map<std::string, double> values;

    [[nodiscard]] static server_counters read(std::uint16_t port) {
        return parse(four_letter_word(port, "mntr"));
    }
    /// Of the answer to `mntr`; no values if the server did not answer with counters.
    [[nodiscard]] static server_counters parse(const std::string& answer) {
        server_counters result;
        std::istringstream lines{answer};
        for (std::string line; std::getline(lines, line);) {
            const auto tab = line.find('\t');
            if (tab == std::string::npos)
                continue;
            const auto text = line.substr(tab + 1);
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            if (end != text.c_str() && *end == '\0')
                result.values.insert_or_assign(line.substr(0, tab), value);
        }
        return result;
    }

    /// Throws std::out_of_range with the name in it if there is no such counter.
    [[nodiscard]] double at(const std::string& name) const {
        const auto found = values.find(name);
        if (found == values.end())
            throw std::out_of_range{"the server has no counter " + name};
        return found->second;
    }
};

} // namespace turnstile::test
