// SPDX-License-Identifier: BSL-1.0
#include "checker.hpp"

#include "divergence.hpp"
#include "excuses.hpp"
#include "rules.hpp"
#include "ticket_book.hpp"

#include "support/history_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>

namespace turnstile::check {

evidence::evidence(const history& what, const ticket_book& tickets, const excuses& which)
    : told{what}, book{tickets}, excused{which}, could_prove{what} {
    std::map<std::string_view, std::vector<const acquire*>> by_lock;
    for (const auto& a : told.acquires)
        if (a.has_lock())
            by_lock[a.lock].push_back(&a);
    for (auto& [lock, grants] : by_lock) {
        std::stable_sort(grants.begin(), grants.end(),
                         [](const auto* a, const auto* b) { return a->granted < b->granted; });
        grants_by_lock.push_back(std::move(grants));
    }
}

std::string evidence::describe(const acquire& a) const {
    std::string result = told.workers[a.worker].name + "'s acquire " + a.id + " of " + a.lock;
    if (a.has_lock()) {
        std::array<char, 32> token{};
        std::snprintf(token.data(), token.size(), " (token %016llx)",
                      static_cast<unsigned long long>(a.token));
        result += token.data();
    }
    return result;
}

verdict check_run(const history& told, const transaction_log& log, const check_options& how) {
    verdict out;
    for (const auto& failure : told.failures)
        out.add("run", failure);
    for (const auto& complaint : told.complaints)
        out.add("history", complaint);
    for (const auto zxid : log.contradictions())
        out.add("log", "the servers differ in transaction 0x" + test::history_hex(zxid));

    for (const auto& d : find_divergences(log.servers()))
        out.add("log", "the servers lost data by themselves: " + d.text());

    const ticket_book book{log.in_order()};
    const excuses excused{told, book, how};
    const evidence given{told, book, excused};
    for (const auto& grants : given.grants_by_lock)
        out.acquisitions += grants.size();
    out.tickets = book.tickets().size();
    out.faults = told.faults;
    out.leader_crashes = told.leader_crashes;
    out.process_faults = told.process_faults;

    check_complete(given, out);
    check_exclusion(given, out);
    check_leases(given, out);
    check_readers(given, out);
    check_changes(given, out);
    check_promises(given, out);
    check_workers(given, out);
    check_outcomes(given, out);
    check_releases(given, out);
    check_store(given, out);
    check_counters(given, out);
    check_observers(given, out);
    check_notices(given, out);
    return out;
}

} // namespace turnstile::check
