// SPDX-License-Identifier: BSL-1.0
// Rules of semaphores, in the run of lease_story: how many leases are held together, whose turn it
// is, and which end a lease may have.
#include "check/unit/lease_story.hpp"
#include "support/pch.hpp"

TEST_CASE("Holders of a semaphore who take no more leases than there are hold together") {
    const auto v = lease_story::good().check();
    CHECK(rules_of(v) == words{});
    CHECK(v.acquisitions == 5);
}

TEST_CASE("More leases than there are, believed in at once, are rejected") {
    auto s = lease_story::good();
    s.at(650, "worker-2", "release", 4); // beside the three leases of worker-1, from 600 ms on
    CHECK(breaks_only(s, "overlap", "50.000 ms"));
}

TEST_CASE("More leases than there are, granted in server order, are rejected") {
    auto s = lease_story::good();
    SECTION("where one is removed after the others are made") {
        s.unlog(0x25);
        s.transact(0x29, 0x11, {{"delete", lease_node("try", 11, 0)}});
    }
    SECTION("where the limit is lower") {
        for (auto& l : s.lines)
            if (l.contains("places"))
                l["places"] = 2;
    }
    CHECK(says(s.check(), "exclusion", "leases were taken"));
}

TEST_CASE("A lease that was taken where somebody stood in line is rejected") {
    auto s = lease_story::good();
    SECTION("by an acquire that tries") {
        s.unlog(0x24);
        s.transact(0x1f, 0x11, {{"create", place_node(0), "s-3"}});
        CHECK(says(s.check(), "exclusion",
                   "turn-3-lock-0000000000 of session 11 always stood before"));
    }
    SECTION("by an acquire that is not the first in line") {
        s.unlog({0x24, 0x25, 0x27});
        s.transact(0x24, 0x22, {{"create", place_node(1), "s-8"}});
        s.transact(0x25, 0x11,
                   {{"delete", lease_node("try", 11, 0)}, {"create", place_node(2), "s-3"}});
        s.transact(0x27, 0x11,
                   {{"setData", place_node(2)},
                    {"delete", place_node(2)},
                    {"create", lease_node("take", 11, 4), "s-3"},
                    {"create", lease_node("take", 11, 5), "s-3"},
                    {"create", lease_node("take", 11, 6), "s-3"}});
        s.transact(0x29, 0x22, {{"delete", place_node(1)}});
        CHECK(says(s.check(), "exclusion", "was handed off before it was owner"));
    }
    SECTION("by an acquire without a ticket") {
        s.unlog(0x27);
        s.transact(0x27, 0x11,
                   {{"create", lease_node("take", 11, 4), "s-3"},
                    {"create", lease_node("take", 11, 5), "s-3"},
                    {"create", lease_node("take", 11, 6), "s-3"}});
        s.transact(0x29, 0x11, {{"delete", place_node(0)}});
        CHECK(says(s.check(), "exclusion", "nobody whose ticket it ended"));
    }
}

TEST_CASE("An acquire of several leases has as many as it asked for") {
    auto s = lease_story::good();
    for (auto& l : s.lines)
        if (l.contains("takes") && l.at("id") == 4)
            l["takes"] = 1;
    CHECK(says(s.check(), "exclusion", "asked for 1 leases, and has 2"));
}

TEST_CASE("A lease that stays is an orphan") {
    auto s = lease_story::good();
    SECTION("by the log") {
        s.unlog({0x26, 0x31});
        s.transact(0x26, 0x22, {{"delete", lease_node("try", 22, 1)}});
        CHECK(says(s.check(), "orphan", lease_node("try", 22, 2)));
    }
    SECTION("by the listing at the end") {
        s.say(5200, "schedule", "left",
              {{"lock", leases_lock}, {"children", boost::json::array{"leases/left"}}});
        CHECK(rules_of(s.check()) == words{"orphan"});
    }
}

TEST_CASE("Tokens rise if a semaphore has one lease, and need not if it has more") {
    auto s = lease_story::good();
    for (auto& l : s.lines) // worker-2's acquire is told with an older token than worker-1's
        if (l.contains("token") && l.at("id") == 3)
            l["token"] = "0000000000000022-0000000000000000";
    CHECK(rules_of(s.check()).count("token") == 0);
    for (auto& l : s.lines)
        if (l.contains("places"))
            l["places"] = 1;
    CHECK(rules_of(s.check()).count("token") == 1);
}
