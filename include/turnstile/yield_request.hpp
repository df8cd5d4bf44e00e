// SPDX-License-Identifier: BSL-1.0
// A request to a holder to let go.
#pragma once

#include <string>

namespace turnstile {

/// See `path_lock::ask_to_yield` and `held_lock::wait_yield`.
struct yield_request {
    std::string reason{}; ///< the text of `ask_to_yield`, in one line
    /// Who asks: the host, the process id, and `session_options::label`.
    std::string host{};
    std::string pid{};
    std::string label{};
};

} // namespace turnstile
