// SPDX-License-Identifier: BSL-1.0
// Findings of `turnstile doctor` about servers: what is wrong, and what to change.
#pragma once

#include "doctor/finding.hpp"
#include "doctor/server_facts.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

struct wanted_session {
    std::chrono::milliseconds timeout{};
    std::optional<std::chrono::milliseconds> tick{}; ///< what --tick states
    std::string chroot{};
    bool tls = false;
    bool sasl = false;
};

/// Findings about one server by itself. `alone`: no other server of the list answers.
findings findings_of(const server_facts& facts, const wanted_session& wanted, bool alone);

/// Findings about all servers together: whether they are one ensemble, and alike.
findings findings_of_all(const std::vector<server_facts>& all);

/// Findings about the rights to the node that locks are at or below.
findings findings_of_access(const std::string& path, const path_access& found,
                            const std::string& server);

} // namespace turnstile::command
