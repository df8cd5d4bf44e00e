// SPDX-License-Identifier: BSL-1.0
// All served, nobody forgotten, nothing left.
#include "run.hpp"

#include "support/pch.hpp"

using namespace turnstile::promises;

TEST_CASE("at the end nobody waits, holds, or is being released") {
    run r;
    r.asks(0, 1);
    r.takes(0, 2);
    r.takes(0, 3);
    r.releases(0, 3);
    r.asks(0, 4);
    r.see(0, 4, happening::failed);
    r.asks(0, 5);
    r.see(0, 5, happening::dies);
    run same = r; // a judge is a value
    const auto before = r.found().size();
    r.judged.finish();
    auto found = r.found();
    found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before));
    CHECK(found == words{"a1: never served, and never failed",
                         "a2: neither released nor lost at the end",
                         "a3: its release never ended"});
    CHECK(same.found().size() == before);
}

TEST_CASE("what is left is told once") {
    run r;
    r.judged.left("/a/turn-1-lock-0");
    r.judged.left("/a/turn-1-lock-0", "was never removed");
    r.judged.left("a watch");
    CHECK(r.found() == words{"/a/turn-1-lock-0 was left", "a watch was left"});
    CHECK(r.judged.remains() == 2);
}

TEST_CASE("whoever waits for nothing for too long is found") {
    const auto all = shared_mutex.all();
    using ticket = queue_watch::ticket;
    queue_watch watch;
    const auto forgotten = [&](long ms, const std::vector<ticket>& standing) {
        return watch.finds_forgotten(shared_mutex, standing, run::at(ms), run::at(100));
    };
    SECTION("a reader behind readers") {
        const std::vector<ticket> queue{{2, 12, reader, false}, {1, 11, reader, true}};
        CHECK_FALSE(forgotten(0, queue));
        CHECK_FALSE(forgotten(100, queue));
        CHECK(forgotten(101, queue));
    }
    SECTION("a writer at the head") {
        CHECK_FALSE(forgotten(0, {{1, 11, all, false}}));
        CHECK(forgotten(101, {{1, 11, all, false}}));
    }
    SECTION("but who stands behind what excludes it waits rightly") {
        const std::vector<ticket> queue{
            {1, 11, reader, true}, {2, 12, all, false}, {3, 13, reader, false}};
        CHECK_FALSE(forgotten(0, queue));
        CHECK_FALSE(forgotten(500, queue));
    }
    SECTION("patience is of one ticket") {
        CHECK_FALSE(forgotten(0, {{1, 11, all, false}}));
        CHECK_FALSE(forgotten(101, {{2, 12, all, false}}));
        CHECK_FALSE(forgotten(200, {{2, 12, all, true}}));
        CHECK_FALSE(forgotten(300, {{2, 12, all, false}}));
    }
}
