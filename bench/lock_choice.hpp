// SPDX-License-Identifier: BSL-1.0
// What a scenario takes, as its caller says.
#pragma once

#include <cstddef>
#include <string>

namespace turnstile::bench {

struct lock_choice {
    std::string kind = "mutex";
    /// How many permits a semaphore has, or how many parts a multi; 1 with other kinds.
    std::size_t size = 1;
    /// How it is waited for: by Turnstile, or in another way (strategies/).
    std::string strategy = "turnstile";

    bool is_turnstile() const { return strategy == "turnstile"; }
};

/// The lock path of a scenario. No two choices share one: a semaphore keeps its limit there.
inline std::string path_of(const std::string& scenario, const lock_choice& lock) {
    if (!lock.is_turnstile())
        return "/bench/" + scenario + "-" + lock.strategy;
    const auto path = "/bench/" + scenario + "-" + lock.kind;
    return lock.size == 1 ? path : path + "-" + std::to_string(lock.size);
}

} // namespace turnstile::bench
