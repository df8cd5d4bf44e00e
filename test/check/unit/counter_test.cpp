// SPDX-License-Identifier: BSL-1.0
// Rule "counter": of a counter that only guarded writes change, no increment may be lost.
#include "check/story.hpp"

#include <turnstile/error.hpp>

#include <catch2/catch.hpp>

namespace {

constexpr const char* done = "system:0 Success";

/// The good story, in which each of the two holders adds one to the counter of /l/a.
struct counting : story {
    counting() : story{good()} {
        count(110, "worker-1", 1, 0, done);
        count(220, "worker-2", 2, 1, done);
        ends(2, 1);
    }
    /// A holder writes this value, and is told that it made this version of the node.
    void count(std::int64_t ms, const std::string& who, int value, int version,
               const std::string& code) {
        say(ms, who, "count", {{"id", 1}, {"value", value}});
        say(ms + 10, who, "counted", {{"id", 1}, {"code", code}, {"version", version}});
    }
    /// What the schedule reads at the end.
    void ends(int value, int version) {
        std::erase_if(lines, [](const auto& l) { return l.at("k") == "counter"; });
        say(5250, "schedule", "counter",
            {{"lock", "/l/a"}, {"value", value}, {"version", version}});
    }
};

/// The answer to a write whose outcome nobody knows.
std::string unknown() {
    return "turnstile:9 " + make_error_code(turnstile::error::outcome_unknown).message();
}

} // namespace

TEST_CASE("A counter to which each holder added one is whole") {
    counting s;
    const auto v = s.check();
    CHECK(rules_of(v) == words{});
    CHECK(v.increments == 2);
    CHECK(v.lost_or_stale_writes == 0);
}

TEST_CASE("A write that was lost is found") {
    counting s;
    SECTION("two that wrote the same") {
        s.line("worker-2", "count")["value"] = 1;
        s.ends(1, 1);
        const auto v = s.check();
        CHECK(says(v, "counter", "(token 0000000000000011): wrote 1 as version 1"));
        CHECK(rules_of(v) == words{"counter"});
        CHECK(v.lost_or_stale_writes == 1);
    }
    SECTION("one that is not in the end") {
        s.ends(1, 0);
        CHECK(breaks_only(s, "counter", "wrote 2, and the counter stands at 1"));
    }
    SECTION("one over a write of which there is no line") {
        s.line("worker-2", "counted")["version"] = 2;
        s.ends(2, 2);
        CHECK(breaks_only(s, "counter", "wrote 2 as version 2"));
    }
    SECTION("one by a stale writer of which there is no line") {
        s.ends(2, 2);
        CHECK(breaks_only(s, "counter", "stands at 2, and has version 2"));
    }
    SECTION("one of which its writer was told that it was refused") {
        s.line("worker-2", "counted")["code"] = "turnstile:9 no";
        const auto v = s.check();
        CHECK(breaks_only(s, "counter", "nobody wrote 2"));
        CHECK(v.refused_increments == 1);
    }
}

TEST_CASE("An increment whose outcome nobody knows may count or not") {
    counting s;
    const bool written = GENERATE(true, false);
    if (!written)
        s.ends(1, 0);
    SECTION("since the connection was lost") { s.line("worker-2", "counted")["code"] = unknown(); }
    SECTION("since the process was killed") { s.forget("worker-2", "counted"); }
    const auto v = s.check();
    CHECK(rules_of(v) == words{});
    CHECK(v.open_increments == 1);
}

TEST_CASE("A history of counters that is not complete is found") {
    counting s;
    SECTION("nobody read the counter") {
        s.forget("schedule", "counter");
        CHECK(breaks_only(s, "history", "nobody read the counter of /l/a"));
    }
    SECTION("a write after the release") {
        s.count(210, "worker-1", 3, 2, done);
        CHECK(says(s.check(), "history", "counts under what it does not hold"));
    }
    SECTION("an answer without a question") {
        s.say(230, "worker-2", "counted", {{"id", 1}, {"code", done}, {"version", 2}});
        CHECK(says(s.check(), "history", "told of a write that nobody had asked for"));
    }
}
