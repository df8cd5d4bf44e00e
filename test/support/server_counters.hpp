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

/// The counters of a server as it gives them to `mntr`, such as zk_packets_received. Values that
/// are no numbers are left out.
struct server_counters {
    std::map<std::string, double> values;

    [[nodiscard]] static server_counters read(std::uint16_t port) {
        return parse(four_letter_word(port, "mntr"));
    }
    /// The counters in an answer to `mntr`; none if that has no counters.
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
