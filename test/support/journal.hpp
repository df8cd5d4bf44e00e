#pragma once

#include <turnstile/fencing_token.hpp>

#include <cstddef>
#include <set>
#include <vector>

namespace turnstile::test {

class lock_user;

/// All grants of one lock path in this process, in order, and whether too many ever overlapped.
struct journal {
    struct entry {
        const lock_user* who;
        turnstile::fencing_token token;
    };
    std::vector<entry> grants;
    std::set<const lock_user*> holding;
    std::size_t places = 1;   ///< how many may hold at once
    std::size_t overlaps = 0; ///< grants while as many others still believed in their own

    void granted(const lock_user& who);
    [[nodiscard]] bool tokens_grow() const;

    /// Whether these were granted in this order, perhaps among others.
    [[nodiscard]] bool in_order(const std::vector<const lock_user*>& expected) const;
    template <class User>
    [[nodiscard]] bool in_order(const std::vector<User*>& expected) const {
        return in_order(std::vector<const lock_user*>(expected.begin(), expected.end()));
    }
};

} // namespace turnstile::test
