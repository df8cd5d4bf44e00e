// SPDX-License-Identifier: BSL-1.0
// The findings of `turnstile doctor`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::command {

enum class severity : std::uint8_t {
    ok,
    note,    ///< it is worth knowing, and no fault
    unknown, ///< the server does not let us look
    warning, ///< locks work, but not as well as they could
    error,   ///< locks do not work, or not safely
};

struct finding {
    severity how{};
    std::string check{};  ///< the check that found it, in a word
    std::string server{}; ///< the server; empty: it is about several
    std::string text{};
    std::string advice{}; ///< what to change
};

using findings = std::vector<finding>;

} // namespace turnstile::command
