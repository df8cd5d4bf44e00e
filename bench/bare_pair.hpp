// SPDX-License-Identifier: BSL-1.0
// What the bare client does for one acquire and release of a free lock.
#pragma once

#include "bare_client.hpp"
#include "lock_choice.hpp"

#include <memory>

namespace turnstile::bench {

class bare_pair {
public:
    virtual ~bare_pair() = default;
    virtual void acquire() = 0;
    virtual void release() = 0;
};

/// Makes the directories that are missing.
std::unique_ptr<bare_pair> make_limit_pair(bare_client& client, const lock_choice& lock);

} // namespace turnstile::bench
