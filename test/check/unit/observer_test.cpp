// SPDX-License-Identifier: BSL-1.0
// Rule "observer": each observer of an election ends with the leader of the end. worker-2 observes
// /l/a (observer 5), where session 0x44 leads at the end.
#include "check/story.hpp"

#include <catch2/catch.hpp>

namespace {

/// The good story, in which the lock is an election, and worker-2 observes it.
story observed() {
    auto s = story::good();
    for (auto& l : s.lines)
        if (l.at("k") == "ask" || l.at("k") == "grant")
            l["kind"] = "election";
    s.say(4900, "worker-2", "observed",
          {{"id", 5},
           {"lock", "/l/a"},
           {"token", "0000000000000018-0000000000000000"},
           {"session", "44"},
           {"value", ""},
           {"went_back", 0}});
    s.say(4800, "schedule", "leads",
          {{"lock", "/l/a"}, {"token", "0000000000000018-0000000000000000"}, {"session", "44"}});
    s.create(0x18, 0x44, "/l/a/rest__lock__0000000003");
    s.close(0x19, 0x44);
    return s;
}

} // namespace

TEST_CASE("An observer that ends with the leader of the end is right") {
    const auto v = observed().check();
    CHECK(rules_of(v) == words{});
    CHECK(v.observers == 1);
    CHECK(v.observers_wrong == 0);
}

TEST_CASE("An observer that ends with another leader is found") {
    auto s = observed();
    auto& line = s.line("worker-2", "observed");
    SECTION("with the one before") { line["token"] = "0000000000000011-0000000000000000"; }
    SECTION("with nobody") {
        line["token"] = "0000000000000000-0000000000000000";
        line["session"] = "0";
    }
    SECTION("of another session") { line["session"] = "22"; }
    SECTION("with the value of another") { line["value"] = "x"; }
    CHECK(breaks_only(s, "observer", "worker-2's observer 5 of /l/a: ended with another leader"));
    CHECK(s.check().observers_wrong == 1);
}

TEST_CASE("An observer that was told of an older leader is found") {
    auto s = observed();
    s.line("worker-2", "observed")["went_back"] = 2;
    CHECK(breaks_only(s, "observer", "told 2 times of a leader that was older"));
}

TEST_CASE("A history of observers that is not complete is found") {
    auto s = observed();
    SECTION("nobody looked who leads") {
        s.forget("schedule", "leads");
        CHECK(breaks_only(s, "history", "nobody looked who leads /l/a"));
    }
    SECTION("nobody observed") {
        std::erase_if(s.lines, [](const auto& l) { return l.at("k") == "observed"; });
        CHECK(breaks_only(s, "history", "nobody observed an election to the end"));
    }
}

TEST_CASE("Observers may be told of each ticket, and of what a leader proclaims") {
    auto s = observed();
    s.line("schedule", "counters")["events"] = 4;
    s.line("schedule", "settings")["proxies"] = 1;
    s.say(5, "proxy-1", "connected", {{"link", 1}, {"session", "22"}});
    const auto told = [&](const char* path) {
        s.say(210, "proxy-1", "event", {{"link", 1}, {"path", path}});
    };
    told("/l/a");
    told("/l/a%leader");
    told("/l/a%yield");
    told("/l/a/turn-3-lock-0000000000");
    CHECK(rules_of(s.check()) == words{});
}
