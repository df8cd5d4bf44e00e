// SPDX-License-Identifier: BSL-1.0
// Rule "counter": a counter in ZooKeeper that only guarded writes change has lost no increment. Its
// node's version counts the writes, so it is one less than the value, from the first write on.
#include "rules.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace turnstile::check {
namespace {

/// The increments of one counter.
struct increments_of_one {
    struct done_increment {
        std::int64_t value;
        const acquire* by;
    };
    std::map<std::int64_t, const acquire*> done; ///< by value: an acquire that wrote it
    std::map<std::int64_t, const acquire*> open; ///< by value: an acquire that may have written it
    std::multimap<std::int64_t, done_increment> in_order; ///< by version: all that are done
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
        all.in_order.emplace(its.version, increments_of_one::done_increment{its.value, &a});
    }

    /// How many increments were lost before this write.
    static std::int64_t lost_before(std::int64_t value, std::int64_t version) {
        return version - (value - 1);
    }

    /// Checks the writes in their order. Returns how many increments they have lost.
    std::int64_t check_order(const increments_of_one& its) {
        std::int64_t lost = 0;
        for (const auto& [version, each] : its.in_order) {
            const auto lost_by_then = lost_before(each.value, version);
            if (lost_by_then != lost)
                wrong(given_.describe(*each.by) + ": wrote " + number(each.value) + " as version " +
                      number(version));
            lost = lost_by_then;
        }
        return lost;
    }

    /// Checks the writes of one counter against what it was at the end.
    void check_end(const std::string& lock, const increments_of_one& its, const counter& last) {
        const auto lost = check_order(its);
        for (std::int64_t value = 1; value <= last.value; ++value)
            if (its.done.count(value) == 0 && its.open.count(value) == 0)
                wrong("the counter of " + lock + ": nobody wrote " + number(value));
        for (auto above = its.done.upper_bound(last.value); above != its.done.end(); ++above)
            wrong(given_.describe(*above->second) + ": wrote " + number(above->first) +
                  ", and the counter stands at " + number(last.value));
        if (lost_before(last.value, last.version) > lost)
            wrong("the counter of " + lock + ": stands at " + number(last.value) +
                  ", and has version " + std::to_string(last.version));
    }

    void wrong(const std::string& text) {
        ++out_.lost_or_stale_writes;
        out_.add("counter", text);
    }
    static std::string number(std::int64_t value) { return std::to_string(value); }

    const evidence& given_;
    verdict& out_;
    std::map<std::string, increments_of_one> by_lock_;
};

} // namespace

void check_counters(const evidence& given, verdict& out) { counters{given, out}.check(); }

} // namespace turnstile::check
