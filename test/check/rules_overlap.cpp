// Rule "overlap": who believed to hold a lock, and when.
#include "rules.hpp"

#include <algorithm>
#include <cstdio>

namespace turnstile::check {
namespace {

struct belief {
    interval span;
    const acquire* whose = nullptr;
};

/// What is left of a belief without the excused times.
void add_pieces(std::vector<belief>& to, const acquire& whose, interval span,
                const std::vector<interval>& without) {
    for (const auto& cut : without) {
        if (cut.to <= span.from) {
            continue;
        }
        if (cut.from >= span.to) {
            break;
        }
        if (cut.from > span.from) {
            to.push_back({{span.from, cut.from}, &whose});
        }
        span.from = cut.to;
    }
    if (span.from < span.to) {
        to.push_back({span, &whose});
    }
}

double milliseconds(instant duration) { return static_cast<double>(duration) / 1e6; }

/// Calls found(earlier, later, nanoseconds) for each belief that begins within one that excludes
/// it, with the one of those that lasts longest.
template <class Found>
void find_overlaps(std::vector<belief>& all, Found found) {
    std::sort(all.begin(), all.end(),
              [](const belief& a, const belief& b) { return a.span.from < b.span.from; });
    belief exclusive{{0, 0}, nullptr};
    belief shared{{0, 0}, nullptr};
    for (const auto& b : all) {
        const belief* before = &exclusive;
        if (b.whose->exclusive && shared.span.to > exclusive.span.to) {
            before = &shared;
        }
        if (before->span.to > b.span.from && before->whose != b.whose) {
            found(*before->whose, *b.whose, std::min(before->span.to, b.span.to) - b.span.from);
        }
        auto& latest = b.whose->exclusive ? exclusive : shared;
        if (b.span.to > latest.span.to) {
            latest = b;
        }
    }
}

} // namespace

void check_overlap(const evidence& e, verdict& out) {
    for (const auto& grants : e.grants_by_lock) {
        std::vector<belief> whole;
        std::vector<belief> pieces;
        for (const auto* a : grants) {
            const interval span{a->granted, e.excused.end_of_belief(*a)};
            add_pieces(whole, *a, span, {});
            add_pieces(pieces, *a, span, e.excused.of(*a));
        }
        find_overlaps(whole, [&](const acquire&, const acquire&, instant length) {
            out.excused_overlap_ms = std::max(out.excused_overlap_ms, milliseconds(length));
        });
        find_overlaps(pieces, [&](const acquire& first, const acquire& second, instant length) {
            const double ms = milliseconds(length);
            out.overlap_ms = std::max(out.overlap_ms, ms);
            out.overlap_sum_ms += ms;
            char text[32];
            std::snprintf(text, sizeof text, "%.3f ms", ms);
            out.add("overlap", e.describe(first) + " and " + e.describe(second) +
                                   " were both believed to be held for " + text);
        });
    }
}

} // namespace turnstile::check
