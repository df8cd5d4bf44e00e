// Rule "exclusion", of semaphores: what the transaction log says about leases.
#include "rules.hpp"

#include "lock_kinds.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace turnstile::check {
namespace {

/// A lease that was granted is made or removed.
struct step {
    std::int64_t zxid;
    bool made;
    const acquire* whose;
};

/// In server order. A lease that was tried and given back counts nowhere: nobody was granted it.
std::vector<step> steps_of(const evidence& e, const std::vector<const acquire*>& grants,
                           verdict& out) {
    std::vector<step> result;
    for (const auto* a : grants) {
        const auto leases = e.book.all_of(a->lock, a->token);
        if (!leases.empty() && leases.size() != a->takes) {
            out.add("exclusion", e.describe(*a) + ": asked for " + std::to_string(a->takes) +
                                     " leases, and has " + std::to_string(leases.size()));
        }
        for (const auto* its : leases) {
            result.push_back({its->created, true, a});
            if (its->removed != not_yet) {
                result.push_back({its->removed, false, a});
            }
        }
    }
    std::stable_sort(result.begin(), result.end(), [](const step& a, const step& b) {
        return a.zxid != b.zxid ? a.zxid < b.zxid : !a.made && b.made;
    });
    return result;
}

} // namespace

void check_leases(const evidence& e, verdict& out) {
    for (const auto& grants : e.grants_by_lock) {
        if (grants.front()->what != claim::leases) {
            continue;
        }
        const auto places = grants.front()->places;
        promises::units taken = 0;
        const acquire* told = nullptr; // one acquire breaks it once
        for (const auto& each : steps_of(e, grants, out)) {
            taken += each.made ? 1 : 0;
            taken -= each.made ? 0 : 1;
            if (each.made && taken > places && told != each.whose) {
                told = each.whose;
                out.add("exclusion", e.describe(*each.whose) + ": granted where all " +
                                         std::to_string(places) + " leases were taken");
            }
        }
    }
}

} // namespace turnstile::check
