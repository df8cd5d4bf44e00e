// Rules "served", "loss", "orphan" and "history": what must be so when a run is over.
#include "rules.hpp"

#include <turnstile/error.hpp>

#include <algorithm>
#include <set>

namespace turnstile::check {

namespace {

/// Of a lock that was lost because nothing proved in time that the session lives.
void check_loss(const evidence& e, const acquire& a, verdict& out) {
    const auto* const its = e.book.find(a.lock, a.token);
    if (its == nullptr || its->how == removal::session_end ||
        e.excused.touch(a, {a.granted, a.lost})) {
        return;
    }
    ++out.lost_for_want_of_proof;
    // A sixteenth of the timeout is the margin by which a loss is told before its time. A proof
    // takes six eighths and three round trips, with a beat each eighth: one eighth until a request,
    // four until the first write that is three later, one until the second write. (To leave servers
    // that do not answer, and to be back at a good one, takes less, and is a proof.)
    const auto timeout = e.told.timeout_of(a);
    if (e.could_prove.any({a.lost - timeout * 15 / 16, a.lost}, timeout * 13 / 16)) {
        ++out.false_losses;
        out.add("loss", e.describe(a) + ": lost for nothing at " +
                            std::to_string((a.lost - e.told.first) / 1'000'000) + " ms");
    }
}

} // namespace

void check_complete(const evidence& e, verdict& out) {
    if (out.acquisitions == 0) {
        out.add("history", "nothing was acquired, which proves nothing");
    }
    if (e.told.schedule_lines.empty()) {
        return;
    }
    for (const char* kind : {"settings", "heal", "served", "left", "counters", "end"}) {
        if (e.told.schedule_lines.count(kind) == 0) {
            out.add("history",
                    std::string{"incomplete: the schedule's line \""} + kind + "\" is missing");
        }
    }
}

void check_served(const evidence& e, verdict& out) {
    const std::string for_want_of_proof = make_error_code(error::lease_lost).message();
    for (const auto& w : e.told.workers) {
        if (w.stopped == never && w.killed == never) {
            out.add("history", w.name + " was neither stopped nor killed");
        }
        if (w.outstanding != 0) {
            out.add("served", w.name + " ended with " + std::to_string(w.outstanding) +
                                  " waiters that were not served");
        }
    }
    if (e.told.outstanding != 0) {
        out.add("served", std::to_string(e.told.outstanding) +
                              " waiters were not served after all was healed");
    }
    for (const auto& a : e.told.acquires) {
        if (!a.over() && e.told.workers[a.worker].killed == never) {
            out.add("served",
                    e.describe(a) + (a.has_lock() ? ": neither released nor lost at the end"
                                                  : ": never served, and never failed"));
        }
        if (a.why.find(for_want_of_proof) != std::string::npos) {
            check_loss(e, a, out);
        }
    }
}

void check_left(const evidence& e, verdict& out) {
    std::set<std::string> left;
    for (const auto& [lock, children] : e.told.left) {
        for (const auto& child : children) {
            left.insert(lock + '/' + child);
        }
    }
    for (const auto& path : left) {
        out.add("orphan", path + " was left on the server");
    }
    out.orphans = left.size();
    for (const auto& t : e.book.tickets()) {
        const auto path = t.lock + '/' + t.name;
        if (t.how == removal::none && left.count(path) == 0) {
            ++out.orphans;
            out.add("orphan", path + " was never removed: no transaction of the log did");
        }
    }
}

} // namespace turnstile::check
