// SPDX-License-Identifier: BSL-1.0
// The rules of checker.hpp, in groups. Each function adds the violations that it finds.
#pragma once

#include "chances.hpp"
#include "excuses.hpp"
#include "history.hpp"
#include "ticket_book.hpp"
#include "verdict.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace turnstile::check {

/// All that the rules look at: the history of a run, its tickets, and what is excused.
struct evidence {
    const history& told;
    const ticket_book& book;
    const excuses& excused;
    chances could_prove; ///< when a session could have proved that it lives

    /// Granted acquires of each lock, in the order of time.
    std::vector<std::vector<const acquire*>> grants_by_lock;

    evidence(const history& what, const ticket_book& tickets, const excuses& which);

    /// "worker-3's acquire 17 of /chaos/lock-1 (token 0000000100000a3b)"
    [[nodiscard]] std::string describe(const acquire& a) const;
};

void check_complete(const evidence& given, verdict& out);
void check_exclusion(const evidence& given, verdict& out);
void check_leases(const evidence& given, verdict& out);
void check_readers(const evidence& given, verdict& out);
void check_changes(const evidence& given, verdict& out);
void check_outcomes(const evidence& given, verdict& out);
void check_releases(const evidence& given, verdict& out);
void check_promises(const evidence& given, verdict& out);
void check_workers(const evidence& given, verdict& out);
void check_notices(const evidence& given, verdict& out);
void check_counters(const evidence& given, verdict& out);
void check_observers(const evidence& given, verdict& out);
void check_store(const evidence& given, verdict& out);

} // namespace turnstile::check
