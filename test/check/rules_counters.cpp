// SPDX-License-Identifier: BSL-1.0
// Rule "counter": a counter in ZooKeeper that only guarded writes change has lost no increment.
#include "rules.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace turnstile::check {
namespace {

/// The increments of one counter.
struct written {
    struct one {
        std::int64_t value;
        const acquire* by;
    };
    std::map<std::int64_t, const acquire*> done; ///< by value; one acquire of those that wrote it
    std::map<std::int64_t, const acquire*> open; ///< likewise, those that may have been written
    std::multimap<std::int64_t, one> in_order;   ///< all that are done, by version
};

/// Collects the increments of each counter, and checks them.
class counters {
public:
    counters(const evidence& given, verdict& out) : given_{given}, out_{out} {
        for (const auto& a : given.told.acquires)
            for (const auto& each : a.increments)
                add(a, each);
    }

    void check() {
        for (const auto& [lock, its] : by_lock_) {
            const auto at_end = given_.told.counters.find(lock);
            if (at_end != given_.told.counters.end())
                check_end(lock, its, at_end->second);
            else if (!given_.told.schedule_lines.empty())
                out_.add("history", "incomplete: nobody read the counter of " + lock);
        }
    }

private:
    void add(const acquire& a, const increment& its) {
        auto& all = by_lock_[a.lock];
        if (its.is_open()) {
            ++out_.open_increments;
            all.open.emplace(its.value, &a);
            return;
        }
        if (!its.succeeded()) {
            ++out_.refused_increments;
            return;
        }
        ++out_.increments;
        all.done.emplace(its.value, &a);
        all.in_order.emplace(its.version, written::one{its.value, &a});
    }

    /// How many increments were lost so far. The version counts all writes: if none was lost, it is
    /// one less than the value.
    static std::int64_t lost_before(std::int64_t value, std::int64_t version) {
        return version - (value - 1);
    }

    void check_order(const written& its, std::int64_t& lost) {
        for (const auto& [version, each] : its.in_order) {
            const auto now = lost_before(each.value, version);
            if (now != lost)
                wrong(given_.describe(*each.by) + ": wrote " + number(each.value) + " as version " +
                      number(version));
            lost = now;
        }
    }

    void check_end(const std::string& lock, const written& its, const counter& last) {
        std::int64_t lost = 0;
        check_order(its, lost);
        for (std::int64_t value = 1; value <= last.value; ++value)
            if (its.done.count(value) == 0 && its.open.count(value) == 0)
                wrong("the counter of " + lock + ": nobody wrote " + number(value));
        for (auto at = its.done.upper_bound(last.value); at != its.done.end(); ++at)
            wrong(given_.describe(*at->second) + ": wrote " + number(at->first) +
                  ", and the counter stands at " + number(last.value));
        if (lost_before(last.value, last.version) > lost)
            wrong("the counter of " + lock + ": stands at " + number(last.value) +
                  ", and has version " + std::to_string(last.version));
    }

    void wrong(const std::string& what) {
        ++out_.lost_or_stale_writes;
        out_.add("counter", what);
    }
    static std::string number(std::int64_t value) { return std::to_string(value); }

    const evidence& given_;
    verdict& out_;
    std::map<std::string, written> by_lock_;
};

} // namespace

void check_counters(const evidence& given, verdict& out) { counters{given, out}.check(); }

} // namespace turnstile::check
