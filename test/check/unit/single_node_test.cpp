// SPDX-License-Identifier: BSL-1.0
// Rules of a lock of one node. The name of its node is used again and again.
#include "check/story.hpp"
#include "support/pch.hpp"

namespace {

constexpr const char* lock = "/l/n";
constexpr const char* node = "/l/n/holder";

/// worker-1 holds the lock from 400 to 500 ms (acquire 3, made by 0x20), worker-2 from 510 to
/// 600 ms (4, 0x22), and worker-1 again from 610 to 700 ms (5, 0x24).
story passed_on() {
    auto s = story::good();
    s.unlog({0x16, 0x17});
    const auto holds = [&](std::int64_t from, std::int64_t to, const std::string& n, int id,
                           const std::string& zxid) {
        s.say(from - 5, "worker-" + n, "ask",
              {{"id", id}, {"lock", lock}, {"kind", "single-node"}});
        s.say(from, "worker-" + n, "grant",
              {{"id", id},
               {"lock", lock},
               {"kind", "single-node"},
               {"token", "00000000000000" + zxid + "-0000000000000000"},
               {"session", n + n}});
        s.say(to, "worker-" + n, "release", {{"id", id}});
        s.say(to + 10, "worker-" + n, "released", {{"id", id}, {"code", "system:0 Success"}});
    };
    holds(400, 500, "1", 3, "20");
    holds(510, 600, "2", 4, "22");
    holds(610, 700, "1", 5, "24");
    for (const auto zxid : {0x20, 0x22, 0x24}) {
        const auto session = zxid == 0x22 ? 0x22 : 0x11;
        s.transact(zxid, session,
                   {{"setData", lock}, {"create", node, "n-" + std::to_string(zxid)}});
        s.transact(zxid + 1, session, {{"check", lock}, {"delete", node}});
    }
    s.close(0x30, 0x11);
    s.close(0x31, 0x22);
    return s;
}

} // namespace

TEST_CASE("A session that makes the one node holds the lock") {
    const auto v = passed_on().check();
    CHECK(rules_of(v) == words{});
    CHECK(v.acquisitions == 5);
}

TEST_CASE("A grant without the node is rejected") {
    auto s = passed_on();
    s.unlog({0x22, 0x23});
    CHECK(rules_of(s.check()) == words{"exclusion"});
}

TEST_CASE("A node that another session removed is rejected") {
    auto s = passed_on();
    s.unlog(0x23);
    s.transact(0x23, 0x11, {{"check", lock}, {"delete", node}});
    CHECK(says(s.check(), "exclusion", "was removed by another session"));
}

TEST_CASE("A node that is left is an orphan, though its name had gone before") {
    auto s = passed_on();
    s.unlog({0x25, 0x30});
    CHECK(says(s.check(), "orphan", node));
}

TEST_CASE("What a session was told of an earlier node of the same name excuses nothing") {
    constexpr check_options how{.grace = 10'000'000, .told_grace = 10'000'000};
    auto s = passed_on();
    s.unlog(0x23);
    s.transact(0x23, 0x99, {{"delete", node}}); // by a foreign client, while worker-2 holds
    s.at(650, "worker-2", "release", 4);
    s.say(605, "schedule", "deleted", {{"path", node}, {"since", 604'000'000}});
    s.say(1, "proxy-1", "connected", {{"link", 1}, {"session", "22"}});
    s.say(505, "proxy-1", "gone",
          {{"link", 1}, {"session", "22"}, {"path", node}, {"by", "event"}});
    CHECK(rules_of(s.check(how)) == words{});
    s.say(620, "proxy-1", "gone",
          {{"link", 1}, {"session", "22"}, {"path", node}, {"by", "event"}});
    const auto v = s.check(how);
    CHECK(rules_of(v) == words{"overlap"});
    CHECK(v.overlap_ms == Approx(650 - 630));
}
