// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "support/pch.hpp"

namespace turnstile::interop {

/// Knows who holds the lock, and sees when two do that exclude each other.
///
/// A contender enters after it was granted the lock, and leaves before it begins to release: what
/// the witness knows lies inside what is so, and needs no clock.
class witness {
public:
    /// Says who else was there, if anybody was who must not.
    [[nodiscard]] std::string enter(const std::string& who, bool shared) {
        std::string other;
        for (const auto& [holder, holder_shares] : holders_)
            if (!shared || !holder_shares)
                other = holder;
        holders_.emplace(who, shared);
        return other;
    }

    void leave(const std::string& who) { holders_.erase(who); }

private:
    std::map<std::string, bool> holders_; ///< and whether they share it
};

} // namespace turnstile::interop
