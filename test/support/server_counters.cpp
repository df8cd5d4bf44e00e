// SPDX-License-Identifier: BSL-1.0
#include "server_counters.hpp"

#include "four_letter_word.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace turnstile::test {

server_counters server_counters::read(std::uint16_t port) {
    return parse(four_letter_word(port, "mntr"));
}

server_counters server_counters::parse(const std::string& answer) {
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

double server_counters::at(const std::string& name) const {
    const auto found = values.find(name);
    if (found == values.end())
        throw std::out_of_range{"the server has no counter " + name};
    return found->second;
}

} // namespace turnstile::test
