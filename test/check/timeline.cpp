// SPDX-License-Identifier: BSL-1.0
#include "timeline.hpp"

#include <algorithm>
#include <utility>

namespace turnstile::check {
namespace {

using promises::happening;

/// Collects the moments of all acquires, and sorts them.
class timeline {
public:
    explicit timeline(const evidence& given) : given_{given} {
        for (std::size_t i = 0; i < given.told.acquires.size(); ++i)
            add(static_cast<std::uint32_t>(i), given.told.acquires[i]);
        std::stable_sort(all.begin(), all.end(), [](const moment& a, const moment& b) {
            return std::pair{a.when, a.order} < std::pair{b.when, b.order};
        });
    }

    std::vector<moment> all;

private:
    void add(std::uint32_t who, const acquire& a) {
        const auto& owner = given_.told.workers[a.worker];
        all.push_back({a.asked, who, happening::asks, moment::begin});
        if (a.failed)
            all.push_back({a.failed_at, who, happening::failed, moment::begin});
        if (a.has_lock()) {
            all.push_back({a.granted, who, happening::granted, moment::begin});
            add_end(who, a, a.released, happening::releases);
            add_end(who, a, a.lost, happening::lost);
            const auto worker_ends = std::min({owner.killed, owner.stopped, given_.told.last});
            add_end(who, a, std::max(a.granted, worker_ends), happening::stops_belief);
            if (a.answered != never)
                all.push_back({a.answered, who, happening::released, moment::at_last});
            add_changes(who, a);
            add_excuses(who, a);
        }
        if (owner.killed != never) // it dies for the judge when all that it wrote is told
            all.push_back({given_.told.last, who, happening::dies, moment::at_last});
    }

    /// Adds the end of a belief, if there is one.
    void add_end(std::uint32_t who, const acquire& a, instant when, happening what) {
        if (when != never)
            all.push_back({when, who, what, when == a.granted ? moment::at_last : moment::end});
    }

    /// A downgrade takes effect with its call, an upgrade with its answer. Without success the lock
    /// is held as before.
    void add_changes(std::uint32_t who, const acquire& a) {
        const auto takes = [&](instant when, const hold_change& its, bool writes) {
            all.push_back({when, who, happening::takes_other, moment::begin, &its, writes});
        };
        bool writer = a.what == claim::exclusive;
        for (const auto& each : a.changes) {
            if (each.to_write && each.succeeded()) {
                takes(each.answered, each, true);
                writer = true;
            } else if (!each.to_write && writer) {
                takes(each.asked, each, false);
                const bool says_lost = each.answer == a.why; // the line of the loss comes next
                writer = each.answered != never && !each.succeeded() && !says_lost;
                if (writer)
                    takes(each.answered, each, true);
            }
        }
    }

    /// Adds the excuses that touch the belief.
    void add_excuses(std::uint32_t who, const acquire& a) {
        const auto end = std::max(a.granted, given_.excused.end_of_belief(a));
        for (const auto& span : given_.excused.of(a)) {
            if (span.to < a.granted || end < span.from)
                continue;
            all.push_back({span.from, who, happening::excused, moment::excuse});
            if (span.to != never)
                all.push_back({span.to, who, happening::excuse_over, moment::excuse_over});
        }
    }

    const evidence& given_;
};

} // namespace

std::vector<moment> timeline_of(const evidence& given) { return std::move(timeline{given}.all); }

} // namespace turnstile::check
