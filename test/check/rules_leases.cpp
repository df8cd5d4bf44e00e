// SPDX-License-Identifier: BSL-1.0
// Rule "exclusion", for semaphores: the leases of the transaction log stay within the limit.
#include "rules.hpp"

#include "lock_kinds.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace turnstile::check {
namespace {

/// The creation or the removal of a lease that was granted.
struct step {
    std::int64_t zxid;
    bool made;
    const ticket* which;
    const acquire* whose; ///< null: no worker was told of the grant
};

/// Replays the leases of each semaphore.
class leases {
public:
    leases(const evidence& given, verdict& out) : given_{given}, out_{out} {
        for (const auto& t : given.book.tickets())
            if (t.role == node_role::taken)
                taken_[t.lock].push_back(&t);
    }

    void check(const std::vector<const acquire*>& grants) {
        const auto& lock = grants.front()->lock;
        const auto places = grants.front()->places;
        promises::units taken = 0;
        std::int64_t told = 0; // the last transaction that was reported: each is reported once
        for (const auto& each : steps_of(lock, grants)) {
            taken += each.made ? 1 : 0;
            taken -= each.made ? 0 : 1;
            if (each.made && taken > places && told != each.zxid) {
                told = each.zxid;
                out_.add("exclusion", name_of(each) + ": granted where all " +
                                          std::to_string(places) + " leases were taken");
            }
        }
    }

private:
    /// Returns the steps of a lock in server order. A lease that was tried and given back is left
    /// out: nobody was granted it. A lease that was taken in line counts, even if its acquire still
    /// waits for others, or gives up.
    std::vector<step> steps_of(const std::string& lock, const std::vector<const acquire*>& grants) {
        std::vector<step> result;
        std::set<std::int64_t> tokens;
        for (const auto* a : grants) {
            const auto its = given_.book.all_of(lock, a->token);
            if (!its.empty() && its.size() != a->takes) {
                out_.add("exclusion", given_.describe(*a) + ": asked for " +
                                          std::to_string(a->takes) + " leases, and has " +
                                          std::to_string(its.size()));
            }
            tokens.insert(a->token);
            for (const auto* lease : its)
                add(*lease, a, result);
        }
        for (const auto* lease : taken_[lock]) {
            if (tokens.count(lease->created) == 0) {
                add(*lease, nullptr, result);
                check_unheard(*lease);
            }
        }
        std::stable_sort(result.begin(), result.end(), [](const step& a, const step& b) {
            return a.zxid != b.zxid ? a.zxid < b.zxid : !a.made && b.made;
        });
        return result;
    }

    static void add(const ticket& lease, const acquire* whose, std::vector<step>& to) {
        to.push_back({lease.created, true, &lease, whose});
        if (lease.removed != not_yet)
            to.push_back({lease.removed, false, &lease, whose});
    }

    void check_unheard(const ticket& lease) {
        if (!lease.was_owner())
            out_.add("exclusion", lease.path() + ": taken by " + lease.behind);
    }

    std::string name_of(const step& it) const {
        return it.whose == nullptr ? it.which->path() : given_.describe(*it.whose);
    }

    const evidence& given_;
    verdict& out_;
    std::unordered_map<std::string, std::vector<const ticket*>>
        taken_; // by lock: leases taken in line
};

} // namespace

void check_leases(const evidence& given, verdict& out) {
    leases all{given, out};
    for (const auto& grants : given.grants_by_lock)
        if (grants.front()->what == claim::permits)
            all.check(grants);
}

} // namespace turnstile::check
