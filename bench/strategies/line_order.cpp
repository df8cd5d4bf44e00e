// SPDX-License-Identifier: BSL-1.0
#include "line_order.hpp"

#include <algorithm>
#include <cstddef>

namespace turnstile::bench {

namespace {

constexpr std::size_t digits = 10;

bool stands_before(std::string_view name, std::string_view own) {
    return sequence_of(name) < sequence_of(own);
}

} // namespace

std::string_view sequence_of(std::string_view name) {
    return name.size() < digits ? name : name.substr(name.size() - digits);
}

bool is_first(const std::vector<std::string>& names, std::string_view own) {
    return std::none_of(names.begin(), names.end(),
                        [&](std::string_view each) { return stands_before(each, own); });
}

std::string before(const std::vector<std::string>& names, std::string_view own) {
    std::string_view last;
    for (const std::string_view each : names)
        if (stands_before(each, own) && (last.empty() || stands_before(last, each)))
            last = each;
    return std::string(last);
}

bool may_share(const std::vector<std::string>& names, std::string_view own) {
    if (own.starts_with(writer_prefix))
        return is_first(names, own);
    return std::none_of(names.begin(), names.end(), [&](std::string_view each) {
        return each.starts_with(writer_prefix) && stands_before(each, own);
    });
}

} // namespace turnstile::bench
