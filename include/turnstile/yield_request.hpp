// SPDX-License-Identifier: BSL-1.0
// What a holder is told that is asked to let go.
#pragma once

#include <string>

namespace turnstile {

/// See `path_lock::ask_to_yield` and `held_lock::wait_yield`.
struct yield_request {
    std::string reason{}; ///< as it was given, in one line
    /// Who asks: the host, the process id, and `session_options::label`.
    std::string host{};
    std::string pid{};
    std::string label{};
};

} // namespace turnstile
