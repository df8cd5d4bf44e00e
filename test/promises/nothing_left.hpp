// SPDX-License-Identifier: BSL-1.0
// What is left on the servers when a run is over.
#pragma once

#include "findings.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace turnstile::promises {

/// Nothing: no ticket, no watch, no session. What was found in two ways counts once.
class nothing_left {
public:
    void found(const std::string& what, std::string_view how, findings& out) {
        if (found_.insert(what).second)
            out.add(promise::nothing_left, what + ' ' + std::string(how));
    }
    std::size_t count() const { return found_.size(); }

private:
    std::set<std::string> found_;
};

} // namespace turnstile::promises
