#include "journal.hpp"

#include "lock_user.hpp"

#include <algorithm>

namespace turnstile::test {

void journal::granted(const lock_user& who) {
    const auto believing = static_cast<std::size_t>(std::ranges::count_if(
        holding, [](const lock_user* other) { return other->lock.is_held(); }));
    if (believing >= places)
        overlaps += believing - places + 1;
    holding.insert(&who);
    grants.push_back({&who, who.token});
}

bool journal::in_order(const std::vector<const lock_user*>& expected) const {
    auto next = expected.begin();
    for (const auto& grant : grants)
        if (next != expected.end() && grant.who == *next)
            ++next;
    return next == expected.end();
}

bool journal::tokens_grow() const {
    return std::ranges::adjacent_find(grants, [](const entry& a, const entry& b) {
               return a.token >= b.token;
           }) == grants.end();
}

} // namespace turnstile::test
