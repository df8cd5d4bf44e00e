// SPDX-License-Identifier: BSL-1.0
// What the doctor has found out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::command {

enum class severity : std::uint8_t {
    ok,
    note,    ///< worth knowing, and no fault
    unknown, ///< we may not look
    warning, ///< locks work, but not as well as they could
    error,   ///< locks do not work, or not safely
};

struct finding {
    severity how{};
    std::string check{};  ///< which check it is of, in a word
    std::string server{}; ///< empty: of no single one
    std::string text{};
    std::string advice{}; ///< what to change
};

using findings = std::vector<finding>;

} // namespace turnstile::command
