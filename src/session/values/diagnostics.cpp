// SPDX-License-Identifier: BSL-1.0
#include <turnstile/diagnostics.hpp>

#include <ostream>
#include <string_view>

namespace turnstile {

std::string diagnostics::str() const {
    std::string text;
    const auto add = [&text](std::string_view name, const std::string& value) {
        if (!value.empty())
            text.append(text.empty() ? "" : ", ").append(name).append(value);
    };
    add("lock path ", path);
    add("server ", server);
    add("last cause: ", cause);
    return text;
}

std::ostream& operator<<(std::ostream& to, const diagnostics& what) { return to << what.str(); }

} // namespace turnstile
