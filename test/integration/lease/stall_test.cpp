// SPDX-License-Identifier: BSL-1.0
// A program that keeps the session's thread busy stops its beats: it is told so, not the servers.
#include "integration/support/fault_rig.hpp"
#include "integration/support/log_record.hpp"
#include "support/pch.hpp"

using namespace turnstile;
using namespace turnstile::test;

TEST_CASE("a thread that is kept busy is named as the cause of a loss, and counted") {
    log_record record;
    fixture f;
    auto options = options_for();
    options.log = {.level = log_level::info, .sink = record.sink()};
    session s{f.context, options};
    contender holder{s, fresh_path("stall")};
    holder.acquire();
    f.run_until([&] { return holder.holds(); });
    CHECK(s.usage().stalls == 0);
    while (holder.lock.is_held()) { // computes, and awaits nothing
    }
    f.run_until([&] { return record.has(log_level::error); });
    CHECK(s.usage().stalls == 1);
    CHECK(record.mentions("nothing ran on the session's thread for "));
    CHECK_FALSE(record.mentions(" lost in -"));
    CHECK_FALSE(record.mentions("out of danger"));
}
