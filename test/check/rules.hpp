// SPDX-License-Identifier: BSL-1.0
// The rules of checker.hpp, in groups. Each adds what it finds to the verdict.
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

/// What the rules look at.
struct evidence {
    const history& told;
    const ticket_book& book;
    const excuses& excused;
    chances could_prove;

    /// Granted acquires of each lock, in the order of time.
    std::vector<std::vector<const acquire*>> grants_by_lock;

    evidence(const history& what, const ticket_book& tickets, const excuses& which);

    /// "worker-3's acquire 17 of /chaos/lock-1 (token 0000000100000a3b)"
    [[nodiscard]] std::string describe(const acquire& a) const;
};

void check_complete(const evidence& e, verdict& out);
void check_exclusion(const evidence& e, verdict& out);
void check_leases(const evidence& e, verdict& out);
void check_readers(const evidence& e, verdict& out);
void check_changes(const evidence& e, verdict& out);
void check_outcomes(const evidence& e, verdict& out);
void check_releases(const evidence& e, verdict& out);
void check_promises(const evidence& e, verdict& out);
void check_workers(const evidence& e, verdict& out);
void check_notices(const evidence& e, verdict& out);
void check_counters(const evidence& e, verdict& out);
void check_observers(const evidence& e, verdict& out);
void check_store(const evidence& e, verdict& out);

} // namespace turnstile::check
