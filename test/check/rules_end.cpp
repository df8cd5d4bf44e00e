// Rules "served", "orphan" and "history": what must be so when a run is over; and false losses.
#include "rules.hpp"

#include <turnstile/error.hpp>

#include <set>

namespace turnstile::check {

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
        const bool lease = a.why.find("lease") != std::string::npos ||
                           a.why.find(for_want_of_proof) != std::string::npos;
        const auto* const its = a.has_lock() ? e.book.find(a.lock, a.token) : nullptr;
        if (lease && its != nullptr && its->how != removal::session_end &&
            !e.excused.touch(a, {a.granted, a.lost})) {
            ++out.false_losses;
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
