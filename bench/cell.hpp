// SPDX-License-Identifier: BSL-1.0
// A figure in a table.
#pragma once

#include <fmt/core.h>

#include <optional>
#include <string>

namespace turnstile::bench {

/// "-" where there is none.
template <class Value>
std::string cell(const std::optional<Value>& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : std::string("-");
}

} // namespace turnstile::bench
