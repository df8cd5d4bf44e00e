// SPDX-License-Identifier: BSL-1.0
// Rules of a semaphore that is a part of several locks taken as one. Its acquire is told as granted
// when all parts are there, which may be long after its leases were made.
#include "check/unit/lease_story.hpp"
#include "support/pch.hpp"

namespace {

constexpr const char* other_lock = "/l/b";

std::string other_ticket(int number) {
    std::string result{other_lock}; // gcc 12 warns of the sum, wrongly
    result += "/turn-3-lock-000000000";
    result += std::to_string(number);
    return result;
}

void ask_for_other(lease_story& s, std::int64_t ms, const std::string& who, int id) {
    s.say(ms, who, "ask", {{"id", id}, {"lock", other_lock}, {"kind", "exclusive"}});
}

void grant_other(lease_story& s, std::int64_t ms, const std::string& who, int id,
                 const std::string& token) {
    s.say(ms, who, "grant",
          {{"id", id},
           {"lock", other_lock},
           {"token", "00000000000000" + token + "-0000000000000000"},
           {"session", who == "worker-1" ? "11" : "22"}});
}

/// worker-1 takes two parts as one. One part is the three leases (acquire 5), which it takes in
/// line at about 560 ms. The other part is a mutex (6), which worker-2 holds (7) until 620 ms. Both
/// are told at 640 ms.
lease_story with_a_mutex() {
    auto s = lease_story::good();
    s.unlog(0x28);
    s.at(640, "worker-1", "grant", 5);
    ask_for_other(s, 385, "worker-2", 7);
    grant_other(s, 390, "worker-2", 7, "1e");
    s.lets_go(620, "worker-2", 7);
    ask_for_other(s, 420, "worker-1", 6);
    grant_other(s, 640, "worker-1", 6, "29");
    s.lets_go(700, "worker-1", 6);
    for (const int id : {5, 6}) {
        s.line("worker-1", "ask", id)["several"] = true;
        s.line("worker-1", "grant", id)["several"] = true;
    }
    s.create(0x1e, 0x22, other_ticket(0), "m-1");
    s.create(0x29, 0x11, other_ticket(1), "m-2");
    s.hand_off(0x2a, 0x22, other_ticket(0));
    s.gives_back(0x2c);
    s.hand_off(0x2d, 0x11, other_ticket(1));
    return s;
}

/// As with_a_mutex(), but worker-1 gives up the wait for the mutex, and gives its leases back.
lease_story given_up() {
    auto s = with_a_mutex();
    for (const int id : {5, 6}) {
        s.forget("worker-1", "grant", id);
        s.forget("worker-1", "release", id);
        s.say(680, "worker-1", "fail", {{"id", id}, {"code", "turnstile:20 the time is over"}});
    }
    s.unlog(0x2d);
    s.remove(0x2d, 0x11, other_ticket(1));
    return s;
}

/// worker-2 takes one lease more (acquire 8) at 610 ms, until 660 ms.
void take_one_more(lease_story& s, std::int64_t made, std::int64_t removed) {
    s.asks(605, "worker-2", 8, 1);
    s.granted(610, "worker-2", 8, made == 0x28 ? "28" : "2b");
    s.lets_go(660, "worker-2", 8);
    s.tries(made, 0x22, {{"create", lease_node("try", 22, 7), "s-8"}});
    s.transact(removed, 0x22, {{"delete", lease_node("try", 22, 7)}});
}

} // namespace

TEST_CASE("Leases that are a part of several are told when all parts are there, or given up") {
    const auto v = with_a_mutex().check();
    CHECK(rules_of(v) == words{});
    CHECK(v.acquisitions == 7);
    CHECK(rules_of(given_up().check()) == words{});
}

TEST_CASE("Leases that a part has taken are taken, whatever becomes of the other parts") {
    SECTION("where it is granted later") {
        auto s = with_a_mutex();
        take_one_more(s, 0x28, 0x2b);
        CHECK(says(s.check(), "exclusion",
                   "acquire 8 of /l/s (token 0000000000000028): granted "
                   "where all 3 leases were taken"));
    }
    SECTION("where it is never granted") {
        auto s = given_up();
        take_one_more(s, 0x28, 0x2b);
        CHECK(breaks_only(s, "exclusion",
                          "acquire 8 of /l/s (token 0000000000000028): granted "
                          "where all 3 leases were taken"));
    }
}

TEST_CASE("A part's lease that stays until its session is closed was not released") {
    auto s = with_a_mutex();
    s.unlog(0x2c);
    CHECK(breaks_only(s, "outcome", "it went only when its session was closed"));
}
