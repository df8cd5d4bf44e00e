// What the bare client does for one acquire and release of a free lock.
#pragma once

#include "limit_client.hpp"
#include "lock_choice.hpp"

#include <memory>

namespace turnstile::bench {

class limit_pair {
public:
    virtual ~limit_pair() = default;
    virtual void acquire() = 0;
    virtual void release() = 0;
};

/// Makes the directories that are missing.
std::unique_ptr<limit_pair> make_limit_pair(limit_client& client, const lock_choice& lock);

} // namespace turnstile::bench
