// SPDX-License-Identifier: BSL-1.0
// Who may believe to hold a lock at the same time.
#include "run.hpp"

#include "support/pch.hpp"

using namespace turnstile::promises;

TEST_CASE("holders of a mutex one after the other are as promised") {
    run r;
    r.takes(0, 1);
    r.releases(10, 1);
    r.takes(10, 2);
    r.lost(20, 2);
    r.takes(20, 3);
    CHECK(r.found() == words{});
    CHECK(r.judged.locks()[0].holders.holders().size() == 1);
}

TEST_CASE("two holders of a mutex are found at once, and measured when it is over") {
    run r;
    r.takes(0, 1);
    r.takes(10, 2);
    CHECK(r.found() == words{"a1 and a2 were both believed to be held"});
    CHECK_FALSE(r.judged.violations()[0].lasted.has_value());
    const acquire_id first_to_go = GENERATE(1, 2);
    r.releases(25, first_to_go);
    CHECK(r.found() == words{"a1 and a2 were both believed to be held for 15.000 ms"});
    CHECK(r.judged.violations()[0].lasted == run::at(15));
    r.releases(99, 3 - first_to_go);
    CHECK(r.found().size() == 1);
}

TEST_CASE("readers hold together, and no reader holds beside a writer") {
    const auto all = shared_mutex.all();
    run r{shared_mutex};
    for (acquire_id who = 1; who <= 100; ++who)
        r.takes(0, who, reader);
    CHECK(r.found() == words{});
    SECTION("a writer beside readers") {
        for (acquire_id who = 5; who <= 100; ++who)
            r.releases(1, who);
        r.takes(2, 101, all);
        CHECK(r.found() == words{"a1, a2, a3 (of 4) and a101 were all believed to be held"});
    }
    SECTION("a reader beside a writer") {
        for (acquire_id who = 1; who <= 100; ++who)
            r.releases(1, who);
        r.takes(2, 101, all);
        CHECK(r.found() == words{});
        r.takes(3, 102, reader);
        CHECK(r.found() == words{"a101 and a102 were both believed to be held"});
    }
}

TEST_CASE("holders of a semaphore take no more than there is, whoever they are") {
    run r{semaphore(3)};
    r.takes(0, 1, 2);
    r.takes(1, 2, 1);
    CHECK(r.found() == words{});
    r.takes(2, 3, 1);
    CHECK(r.found() == words{"a1, a2 and a3 were all believed to be held"});
    r.releases(5, 2); // now there is room for it
    CHECK(r.judged.violations()[0].lasted == run::at(3));
    r.releases(6, 1);
    r.takes(7, 4, 2);
    CHECK(r.found().size() == 1);
    r.takes(8, 5, 4); // more than there ever is
    CHECK(r.found().size() == 2);
}

TEST_CASE("a belief counts as long as nothing excuses it") {
    run r;
    r.takes(0, 1);
    SECTION("not from the excuse on") {
        r.see(5, 1, happening::excused);
        r.takes(10, 2);
        CHECK(r.found() == words{});
        SECTION("and again when it is over") {
            r.see(20, 1, happening::excuse_over);
            r.releases(24, 1);
            CHECK(r.found() == words{"a2 and a1 were both believed to be held for 4.000 ms"});
        }
        SECTION("as long as there is another one") {
            r.see(15, 1, happening::excused);
            r.see(20, 1, happening::excuse_over);
            r.releases(24, 1);
            CHECK(r.found() == words{});
        }
        SECTION("nor when it has ended in the meantime") {
            r.lost(15, 1);
            r.see(20, 1, happening::excuse_over);
            CHECK(r.found() == words{});
        }
    }
    SECTION("it counts before") {
        r.takes(10, 2);
        r.see(15, 1, happening::excused);
        CHECK(r.found() == words{"a1 and a2 were both believed to be held for 5.000 ms"});
    }
    SECTION("an excuse is of one acquire alone") {
        r.see(5, 3, happening::excused);
        r.takes(10, 2);
        CHECK(r.found().size() == 1);
    }
    SECTION("who is granted in an excused time is not counted either") {
        r.see(5, 2, happening::excused);
        r.takes(10, 2);
        CHECK(r.found() == words{});
    }
}

TEST_CASE("a belief ends with the release, the loss, the process, or when it is said to end") {
    run r;
    r.takes(0, 1);
    SECTION("release") { r.releases(1, 1); }
    SECTION("loss") { r.lost(1, 1); }
    SECTION("death") { r.see(1, 1, happening::dies); }
    SECTION("word") { r.see(1, 1, happening::stops_belief); }
    SECTION("a margin that was used") {
        r.lost(1, 1, {.believed = true});
        r.see(2, 1, happening::stops_belief);
    }
    SECTION("a margin that a release cut short") {
        r.lost(1, 1, {.believed = true});
        r.releases(2, 1);
    }
    r.takes(3, 2);
    CHECK(r.found() == words{});
}

TEST_CASE("who is told of a loss may believe until its deadline") {
    run r;
    r.takes(0, 1);
    r.lost(1, 1, {.believed = true});
    r.takes(3, 2);
    CHECK(r.found() == words{"a1 and a2 were both believed to be held"});
}
