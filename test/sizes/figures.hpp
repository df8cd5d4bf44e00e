// SPDX-License-Identifier: BSL-1.0
// What a large run tells of itself.
#pragma once

#include "support/pch.hpp"
#include <initializer_list>

namespace turnstile::test {

/// One line on the standard output, which scripts/soak.sh gathers.
inline void tell_figures(std::string_view size,
                         std::initializer_list<std::pair<std::string_view, double>> figures) {
    const auto precision = std::cout.precision(12);
    std::cout << R"(figures: {"size": ")" << size << '"';
    for (const auto& [name, value] : figures)
        std::cout << ", \"" << name << "\": " << value;
    std::cout << "}" << std::endl;
    std::cout.precision(precision);
}

} // namespace turnstile::test
