// SPDX-License-Identifier: BSL-1.0
// What must be so when a run is over: all were served, nothing is left, the history is complete,
// the store accepted no stale write, and no lock was lost without a reason.
#include "check/story.hpp"

#include <turnstile/error.hpp>

#include <catch2/catch.hpp>

TEST_CASE("An acquire or a release that is not served is found") {
    auto s = story::good();
    SECTION("an acquire that never ended") {
        s.forget("worker-1", "fail", 2);
        CHECK(breaks_only(s, "served", "worker-1's acquire 2 of /l/a: never served"));
    }
    SECTION("a lock neither released nor lost") {
        s.forget("worker-2", "release", 1);
        CHECK(says(s.check(), "served", "worker-2's acquire 1 of /l/a"));
    }
    SECTION("a release whose end nobody was told") {
        std::erase_if(s.lines, [](const auto& l) { return l.at("k") == "released"; });
        const auto v = s.check();
        CHECK(rules_of(v) == words{"served"});
        CHECK(says(v, "served",
                   "worker-2's acquire 1 of /l/a (token 0000000000000011): its "
                   "release never ended"));
        for (const auto* worker : {"worker-1", "worker-2"})
            s.in_background(worker, 1);
        CHECK(rules_of(s.check()) == words{}); // nobody waits for the ends of these
    }
    SECTION("by the schedule's count") {
        s.line("schedule", "served")["outstanding"] = 3;
        CHECK(says(s.check(), "served", "3 waiters were not served"));
    }
    SECTION("by the worker's count") {
        s.line("worker-2", "stop")["outstanding"] = 1;
        CHECK(says(s.check(), "served", "worker-2 ended with 1"));
    }
    SECTION("but not of a worker that was killed") {
        s.forget("worker-1", "fail", 2);
        s.forget("worker-1", "stop");
        s.say(400, "schedule", "kill", {{"target", "worker-1"}});
        CHECK(rules_of(s.check()) == words{});
    }
}

TEST_CASE("Lines that make no sense are found") {
    auto s = story::good();
    SECTION("a worker that ended without a word") {
        s.forget("worker-1", "stop");
        CHECK(says(s.check(), "history", "worker-1 was neither stopped nor killed"));
    }
    SECTION("two completions") {
        s.say(300, "worker-1", "fail", {{"id", 1}, {"code", "timeout"}});
        CHECK(says(s.check(), "history", "two completions of one acquire"));
    }
    SECTION("a loss told twice") {
        s.say(180, "worker-1", "lost", {{"id", 1}, {"why", "?"}});
        s.say(190, "worker-1", "lost", {{"id", 1}, {"why", "?"}});
        CHECK(says(s.check(), "history", "lost told twice"));
    }
    SECTION("two answers to one release") {
        s.say(400, "worker-1", "released", {{"id", 1}, {"code", "system:0 Success"}});
        CHECK(says(s.check(), "history", "two completions of one release"));
    }
    SECTION("a loss after the release was answered") {
        s.say(400, "worker-1", "lost", {{"id", 1}, {"why", "?"}});
        CHECK(says(s.check(), "history", "lost, though it was not held"));
    }
    SECTION("never asked for") {
        s.forget("worker-1", "ask", 2);
        CHECK(says(s.check(), "history", "never asked for"));
    }
    SECTION("another lock than asked for") {
        s.line("worker-1", "ask", 1)["lock"] = "/l/b";
        CHECK(says(s.check(), "history", "granted another lock"));
    }
    SECTION("a field is missing") {
        s.line("worker-1", "grant", 1).erase("token");
        CHECK(says(s.check(), "history", "no field \"token\""));
    }
    SECTION("a worker crashed") {
        s.say(400, "schedule", "remark", {{"text", "worker-2 ended by itself: signal 6"}});
        CHECK(says(s.check(), "history", "worker-2 ended by itself"));
    }
}

TEST_CASE("A history that is not complete is found") {
    auto s = story::good();
    SECTION("without a line of the schedule") {
        const std::string kind = GENERATE("settings", "heal", "served", "left", "counters", "end");
        CAPTURE(kind);
        s.forget("schedule", kind);
        const auto v = s.check();
        CHECK(rules_of(v) == words{"history"});
        CHECK(v.violations == 1);
        CHECK(says(v, "history", "incomplete: the schedule's line \"" + kind + "\" is missing"));
    }
    SECTION("without an acquisition") {
        std::erase_if(s.lines, [](const auto& l) {
            return l.at("p") != "schedule" && l.at("k") != "start" && l.at("k") != "stop";
        });
        s.logs[0].clear();
        CHECK(breaks_only(s, "history", "nothing was acquired"));
    }
    SECTION("but there may have been no schedule") {
        std::erase_if(s.lines, [](const auto& l) { return l.at("p") == "schedule"; });
        CHECK(rules_of(s.check()) == words{});
    }
}

TEST_CASE("What is left on the server is found") {
    auto s = story::good();
    SECTION("by the listing at the end") {
        s.line("schedule", "left")["children"].as_array().emplace_back("x");
        const auto v = s.check();
        CHECK(rules_of(v) == words{"orphan"});
        CHECK(says(v, "orphan", "/l/a/x was left"));
        CHECK(v.orphans == 1);
    }
    SECTION("by the log") {
        s.create(0x18, 0x22, story::ticket(3), "b-2");
        CHECK(breaks_only(s, "orphan", "turn-3-lock-0000000003 was never removed"));
    }
}

TEST_CASE("The store is held to its word") {
    auto s = story::good();
    const auto write = [&](const char* worker, const char* token, bool accepted) {
        s.say(400, "store", "write",
              {{"worker", worker},
               {"id", 1},
               {"lock", "/l/a"},
               {"token", token},
               {"accepted", accepted}});
    };
    SECTION("a stale write accepted") {
        write("worker-1", "0000000000000010-0000000000000000", true);
        const auto v = s.check();
        CHECK(rules_of(v) == words{"store"});
        CHECK(says(v, "store", "accepted after one with a larger token"));
        CHECK(v.stale_accepted == 1);
    }
    SECTION("a stale write refused") {
        write("worker-1", "0000000000000010-0000000000000000", false);
        const auto v = s.check();
        CHECK(v.violations == 0);
        CHECK(v.stale_refused == 1);
    }
    SECTION("a good write refused") {
        write("worker-2", "0000000000000011-0000000000000000", false);
        CHECK(says(s.check(), "store", "refused with a token that was not stale"));
    }
    SECTION("a token that nobody was granted") {
        write("worker-2", "0000000000000012-0000000000000000", true);
        CHECK(says(s.check(), "store", "its token is not one that was granted to write"));
    }
    SECTION("by somebody who was granted nothing") {
        write("worker-9", "0000000000000012-0000000000000000", true);
        CHECK(says(s.check(), "store", "nothing was granted to it"));
    }
}

// worker-1's lock is lost at 150 ms for want of proof. The session timeout is 1 s: the loss is
// avoidable if a server could be reached for 13/16 of that, in the 15/16 before it.
TEST_CASE("A lock lost without a reason is found") {
    auto s = story::good();
    s.forget("worker-1", "release", 1);
    s.say(150, "worker-1", "lost",
          {{"id", 1},
           {"why", "turnstile:9 " + make_error_code(turnstile::error::lease_lost).message()}});
    SECTION("the session lived on") {
        const auto v = s.check();
        CHECK(rules_of(v) == words{"loss"});
        CHECK(says(v, "loss", "worker-1's acquire 1 of /l/a"));
        CHECK(v.false_losses == 1);
        CHECK(v.violations == 1);
    }
    const auto fault = [&](std::int64_t ms, const char* what, const char* target, double seconds) {
        s.say(ms, "schedule", "fault", {{"what", what}, {"target", target}, {"seconds", seconds}});
    };
    const auto is_explained = [&] {
        const auto v = s.check();
        CHECK(v.lost_for_want_of_proof == 1);
        CHECK(rules_of(v) == (v.false_losses == 0 ? words{} : words{"loss"}));
        return v.false_losses == 0;
    };
    SECTION("its server could not be reached in the middle of that time") {
        fault(-450, "black hole all", "proxy-1", 0.2);
        CHECK(is_explained());
        s.line("schedule", "settings")["servers"] = 2; // but the other one could
        CHECK(!is_explained());
        fault(-400, "cut all and refuse", "proxy-2", 0.3);
        CHECK(is_explained());
    }
    SECTION("a fault too early, or too late") {
        fault(-780, "black hole all", "proxy-1", 0.05);
        fault(140, "cut all", "proxy-1", 0);
        CHECK(!is_explained());
    }
    SECTION("one of two servers was harmed, and nobody was served meanwhile") {
        s.line("schedule", "settings")["servers"] = 2;
        s.say(-700, "schedule", "harm", {{"target", "server-2"}});
        s.say(-20, "schedule", "whole");
        auto silent = s;
        for (int ms = -800; ms < 200; ms += 100) {
            s.serve(ms);
            if (ms <= -600 || ms >= 0)
                silent.serve(ms);
        }
        CHECK(!is_explained());
        s = silent;
        CHECK(is_explained());
    }
    SECTION("the session ended") {
        s.unlog({0x12, 0x13});
        s.close(0x12, 0x11);
        s.hand_off(0x13, 0x22, story::ticket(1));
        CHECK(s.check().false_losses == 0);
    }
}

TEST_CASE("Faults are counted") {
    auto s = story::good();
    s.say(1, "schedule", "fault", {{"what", "cut"}, {"target", "worker-1"}, {"seconds", 0}});
    s.say(1, "schedule", "kill", {{"target", "server-2"}, {"role", "leader"}});
    s.say(1, "schedule", "kill", {{"target", "server-3"}}); // a follower
    s.say(1, "schedule", "pause", {{"target", "server-2"}, {"until", 3'000'000'000}});
    s.say(1, "schedule", "pause", {{"target", "server-2"}, {"until", 30'000'000}}); // only a lag
    const auto v = s.check();
    CHECK(v.faults == 4);
    CHECK(v.leader_crashes == 1);
    CHECK(v.process_faults == 1);
    CHECK(v.violations == 0);
}
