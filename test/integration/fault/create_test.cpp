// SPDX-License-Identifier: BSL-1.0
// Enqueues of unknown outcome in one flight: their creates may or may not have happened. (Of one
// alone: the simulation.)
#include "fault_outage.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("several creates in one flight, lost from the middle on, leave a ticket each") {
    for (const auto fault : request_faults)
        for (const bool session_ends : {false, true}) {
            INFO(to_text(fault) << (session_ends ? ", the session ends" : ""));
            outage_rig r;
            const auto path = fresh_path("create");
            crowd users{{&r.s}, path, 9};
            const auto rule = r.prepare({.op = op::multi, .path = path, .nth = 5, .action = fault});
            users.line_up();
            r.pass_through(rule, session_ends);
            // The first may have been granted before the fault: lost with its session then.
            const auto in_line = [&] { return users.all[0]->loss ? 8U : 9U; };
            r.f.run_until([&] { return tickets_of(path, r.s.id()) == in_line(); });
            CHECK(r.eyes.count(path) == in_line());
            users.release_when_granted();
            r.f.run_until([&] { return users.all_done(); });
            CHECK(users.served() == 9);
            CHECK(users.failures() == 0);
            CHECK(users.book.violations() == journal::no_violations);
            await_children(r.f, r.eyes, path, 0);
        }
}
