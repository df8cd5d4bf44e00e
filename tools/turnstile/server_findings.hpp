// SPDX-License-Identifier: BSL-1.0
// What is wrong with servers, and what to change.
#pragma once

#include "finding.hpp"
#include "server_facts.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace turnstile::command {

struct wanted_session {
    std::chrono::milliseconds timeout{};
    std::optional<std::chrono::milliseconds> tick{}; ///< as it is stated
    std::string chroot{};
    bool tls = false;
    bool sasl = false;
};

/// Of one server by itself. `alone`: the list has no other that answers.
findings findings_of(const server_facts& facts, const wanted_session& wanted, bool alone);

/// Of all of them together: whether they are one ensemble, and alike.
findings findings_of_all(const std::vector<server_facts>& all);

/// Of the node that locks are at or below.
findings findings_of_access(const std::string& path, const path_access& found,
                            const std::string& server);

} // namespace turnstile::command
