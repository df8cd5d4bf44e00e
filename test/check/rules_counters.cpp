// SPDX-License-Identifier: BSL-1.0
// Rule "counter": that a counter in ZooKeeper, which only guarded writes change, lost no increment.
#include "rules.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace turnstile::check {
namespace {

/// The increments of one counter, by the value that they wrote.
struct written {
    std::map<std::int64_t, const acquire*> done;
    std::map<std::int64_t, const acquire*> open; ///< any one of them
};

class counters {
public:
    counters(const evidence& e, verdict& out) : e_{e}, out_{out} {
        for (const auto& a : e.told.acquires)
            for (const auto& each : a.increments)
                add(a, each);
    }

    void check() {
        for (const auto& [lock, its] : by_lock_) {
            const auto at_end = e_.told.counters.find(lock);
            if (at_end != e_.told.counters.end())
                check_end(lock, its, at_end->second);
            else if (!e_.told.schedule_lines.empty())
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
        const auto [other, is_new] = all.done.emplace(its.value, &a);
        if (!is_new)
            wrong(e_.describe(a) + ": wrote " + number(its.value) + ", and so did " +
                  e_.describe(*other->second));
        else if (its.version != its.value - 1)
            wrong(e_.describe(a) + ": wrote " + number(its.value) + " as version " +
                  std::to_string(its.version));
    }

    void check_end(const std::string& lock, const written& its, const counter& last) {
        for (std::int64_t value = 1; value <= last.value; ++value)
            if (its.done.count(value) == 0 && its.open.count(value) == 0)
                wrong("the counter of " + lock + ": nobody wrote " + number(value));
        for (auto at = its.done.upper_bound(last.value); at != its.done.end(); ++at)
            wrong(e_.describe(*at->second) + ": wrote " + number(at->first) +
                  ", and the counter stands at " + number(last.value));
        if (last.version != last.value - 1)
            wrong("the counter of " + lock + ": stands at " + number(last.value) +
                  ", and has version " + std::to_string(last.version));
    }

    void wrong(const std::string& what) {
        ++out_.lost_or_stale_writes;
        out_.add("counter", what);
    }
    static std::string number(std::int64_t value) { return std::to_string(value); }

    const evidence& e_;
    verdict& out_;
    std::map<std::string, written> by_lock_;
};

} // namespace

void check_counters(const evidence& e, verdict& out) { counters{e, out}.check(); }

} // namespace turnstile::check
