// Rules of semaphores: how many hold together, whose turn it is, and what a lease's end says.
#include "check/story.hpp"

#include <catch2/catch.hpp>

#include <string>

using turnstile::check::rules_of;
using turnstile::check::says;
using turnstile::check::story;
using words = std::set<std::string>;

namespace {

constexpr const char* semaphore = "/l/s";

std::string lease(const std::string& kind, int session, int number) {
    return std::string{semaphore} + "/leases/" + kind + "-3-" + std::to_string(session) +
           "-1-lease-000000000" + std::to_string(number);
}

std::string place(int number) {
    std::string result{semaphore}; // gcc 12 warns of the sum, wrongly
    result += "/queue/turn-3-lock-000000000";
    result += std::to_string(number);
    return result;
}

void ask(story& s, std::int64_t ms, const std::string& who, int id, int takes) {
    s.say(
        ms, who, "ask",
        {{"id", id}, {"lock", semaphore}, {"kind", "semaphore"}, {"takes", takes}, {"places", 3}});
}

void grant(story& s, std::int64_t ms, const std::string& who, int id, const std::string& token) {
    s.say(ms, who, "grant",
          {{"id", id},
           {"lock", semaphore},
           {"kind", "semaphore"},
           {"token", "00000000000000" + token + "-0000000000000000"},
           {"session", who == "worker-1" ? "11" : "22"}});
}

void let_go(story& s, std::int64_t ms, const std::string& who, int id) {
    s.say(ms, who, "release", {{"id", id}});
    s.say(ms + 10, who, "released", {{"id", id}, {"code", "system:0 Success"}});
}

/// Of three leases worker-1 has one at 400 ms, and worker-2 has two; then worker-1 stands in line
/// for three, and has them when the others are back.
story shared_out() {
    auto s = story::good();
    s.unlog(0x16); // the sessions' ends: here they come later
    s.unlog(0x17);
    ask(s, 390, "worker-1", 3, 1);
    grant(s, 400, "worker-1", 3, "20");
    ask(s, 400, "worker-2", 4, 2);
    grant(s, 410, "worker-2", 4, "21");
    ask(s, 420, "worker-1", 5, 3);
    let_go(s, 500, "worker-1", 3);
    let_go(s, 550, "worker-2", 4);
    grant(s, 600, "worker-1", 5, "27");
    let_go(s, 700, "worker-1", 5);

    using parts = std::vector<story::part>;
    const std::string limit = std::string{semaphore} + "/limit";
    const auto tries = [&](parts made) {
        made.insert(made.begin(), {{"check", limit},
                                   {"setData", std::string{semaphore} + "/queue"},
                                   {"setData", std::string{semaphore} + "/leases"}});
        return made;
    };
    s.transact(0x20, 0x11, tries({{"create", lease("try", 11, 0), "s-1"}}));
    s.transact(
        0x21, 0x22,
        tries({{"create", lease("try", 22, 1), "s-2"}, {"create", lease("try", 22, 2), "s-2"}}));
    s.transact(0x22, 0x11, tries({{"create", lease("try", 11, 3), "s-3"}}));
    s.transact(0x23, 0x11, {{"delete", lease("try", 11, 3)}});
    s.transact(0x24, 0x11,
               {{"setData", std::string{semaphore} + "/queue"}, {"create", place(0), "s-3"}});
    s.transact(0x25, 0x11, {{"delete", lease("try", 11, 0)}});
    s.transact(0x26, 0x22, {{"delete", lease("try", 22, 1)}, {"delete", lease("try", 22, 2)}});
    s.transact(0x27, 0x11,
               {{"check", limit},
                {"setData", place(0)},
                {"delete", place(0)},
                {"create", lease("take", 11, 4), "s-3"},
                {"create", lease("take", 11, 5), "s-3"},
                {"create", lease("take", 11, 6), "s-3"}});
    s.transact(0x28, 0x11,
               {{"delete", lease("take", 11, 4)},
                {"delete", lease("take", 11, 5)},
                {"delete", lease("take", 11, 6)}});
    s.close(0x30, 0x11);
    s.close(0x31, 0x22);
    return s;
}

} // namespace

TEST_CASE("Holders of a semaphore who take no more leases than there are hold together") {
    const auto v = shared_out().check();
    CHECK(rules_of(v) == words{});
    CHECK(v.acquisitions == 5);
}

TEST_CASE("More leases than there are, believed in at once, are rejected") {
    auto s = shared_out();
    s.at(650, "worker-2", "release", 4);
    const auto v = s.check();
    CHECK(rules_of(v) == words{"overlap"});
    CHECK(says(v, "overlap", "50.000 ms"));
}

TEST_CASE("More leases than there are, granted in server order, are rejected") {
    auto s = shared_out();
    SECTION("where one is removed after the others are made") {
        s.unlog(0x25);
        s.transact(0x29, 0x11, {{"delete", lease("try", 11, 0)}});
    }
    SECTION("where the limit is lower") {
        for (auto& l : s.lines) {
            if (l.contains("places")) {
                l["places"] = 2;
            }
        }
    }
    CHECK(says(s.check(), "exclusion", "leases were taken"));
}

TEST_CASE("A lease that was taken where somebody stood in line is rejected") {
    auto s = shared_out();
    SECTION("by one that tries") {
        s.unlog(0x24);
        s.transact(0x1f, 0x11, {{"create", place(0), "s-3"}});
        CHECK(says(s.check(), "exclusion", "turn-3-lock-0000000000 always stood before"));
    }
    SECTION("by one that is not the first") {
        s.unlog(0x24);
        s.unlog(0x25);
        s.unlog(0x27);
        s.transact(0x24, 0x22, {{"create", place(1), "s-8"}});
        s.transact(0x25, 0x11, {{"delete", lease("try", 11, 0)}, {"create", place(2), "s-3"}});
        s.transact(0x27, 0x11,
                   {{"setData", place(2)},
                    {"delete", place(2)},
                    {"create", lease("take", 11, 4), "s-3"},
                    {"create", lease("take", 11, 5), "s-3"},
                    {"create", lease("take", 11, 6), "s-3"}});
        s.transact(0x29, 0x22, {{"delete", place(1)}});
        CHECK(says(s.check(), "exclusion", "was handed off before it was owner"));
    }
    SECTION("by one without a ticket") {
        s.unlog(0x27);
        s.transact(0x27, 0x11,
                   {{"create", lease("take", 11, 4), "s-3"},
                    {"create", lease("take", 11, 5), "s-3"},
                    {"create", lease("take", 11, 6), "s-3"}});
        s.transact(0x29, 0x11, {{"delete", place(0)}});
        CHECK(says(s.check(), "exclusion", "nobody whose ticket it ended"));
    }
}

TEST_CASE("The first in line may try leases beside its ticket, and nobody else") {
    auto s = shared_out();
    s.unlog(0x27);
    s.unlog(0x28);
    const bool own = GENERATE(true, false);
    const bool place_first = GENERATE(true, false);
    s.transact(0x27, 0x11,
               {{"check", std::string{semaphore} + "/limit"},
                {"setData", std::string{semaphore} + "/leases"},
                {"check", place(0)},
                {"create", lease("try", 11, 4), own ? "s-3" : "s-9"},
                {"create", lease("try", 11, 5), own ? "s-3" : "s-9"},
                {"create", lease("try", 11, 6), own ? "s-3" : "s-9"}});
    s.transact(place_first ? 0x28 : 0x29, 0x11, {{"setData", place(0)}, {"delete", place(0)}});
    s.transact(place_first ? 0x29 : 0x28, 0x11,
               {{"delete", lease("try", 11, 4)},
                {"delete", lease("try", 11, 5)},
                {"delete", lease("try", 11, 6)}});
    CHECK(says(s.check(), "exclusion", "turn-3-lock-0000000000 always stood before") == !own);
    if (own) {
        CHECK(rules_of(s.check()) == words{});
    }
}

TEST_CASE("An acquire of several leases has as many as it asked for") {
    auto s = shared_out();
    for (auto& l : s.lines) {
        if (l.contains("takes") && l.at("id") == 4) {
            l["takes"] = 1;
        }
    }
    CHECK(says(s.check(), "exclusion", "asked for 1 leases, and has 2"));
}

TEST_CASE("A lease that stays is an orphan") {
    auto s = shared_out();
    SECTION("by the log") {
        s.unlog(0x26);
        s.unlog(0x31);
        s.transact(0x26, 0x22, {{"delete", lease("try", 22, 1)}});
        CHECK(says(s.check(), "orphan", lease("try", 22, 2)));
    }
    SECTION("by the listing at the end") {
        s.say(5200, "schedule", "left",
              {{"lock", semaphore}, {"children", boost::json::array{"leases/left"}}});
        CHECK(rules_of(s.check()) == words{"orphan"});
    }
}

TEST_CASE("A lease that another hand deleted may be believed in until its session is told") {
    auto s = shared_out();
    s.unlog(0x26);
    s.at(650, "worker-2", "release", 4);
    s.transact(0x26, 0x99, {{"delete", lease("try", 22, 2)}});
    s.transact(0x29, 0x22, {{"delete", lease("try", 22, 1)}});
    CHECK(rules_of(s.check()).count("overlap") == 1);
    s.say(580, "schedule", "deleted", {{"path", lease("try", 22, 2)}, {"since", 570'000'000}});
    CHECK(rules_of(s.check()).count("overlap") == 0);
}

TEST_CASE("Of a semaphore with one lease tokens rise, of another one they need not") {
    auto s = shared_out();
    for (auto& l : s.lines) { // worker-2's acquire is told with an older token than worker-1's
        if (l.contains("token") && l.at("id") == 3) {
            l["token"] = "0000000000000022-0000000000000000";
        }
    }
    CHECK(rules_of(s.check()).count("token") == 0);
    for (auto& l : s.lines) {
        if (l.contains("places")) {
            l["places"] = 1;
        }
    }
    CHECK(rules_of(s.check()).count("token") == 1);
}
