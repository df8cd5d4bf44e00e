// SPDX-License-Identifier: BSL-1.0
// How the checker reads transaction logs: the text of ZooKeeper's tool, and which transactions
// count if the logs of several servers differ.
#include "check/story.hpp"
#include "support/pch.hpp"

namespace {

/// The transactions of one server's log.
std::vector<transaction> read(const std::string& text) {
    transaction_log log;
    std::istringstream in{text};
    log.read(in);
    return log.in_order().kept;
}

/// A transaction begins with this, and goes on with its zxid and what it does.
const std::string head = "11/21/26, 6:44:51 AM UTC session 0x10000d4149e0000 cxid 0x6b013de9 zxid ";

/// A path with its length before it, as the records in a multi have it.
std::string record(const std::string& path, char length) {
    return std::string(3, '\0') + length + path;
}

} // namespace

TEST_CASE("Enqueue and release are read out of their transactions") {
    // 47 characters: the last byte of the length looks like the slash of the path.
    const std::string path = "/bench/uncontended-12/turn-bc2-lock-0000000000";
    const std::string longer = "/bench/uncontended-123/turn-bc2-lock-0000000000";
    REQUIRE(longer.size() == 47);
    const auto log =
        read("ZooKeeper Transactional Log File with dbid 0 txnlog format version 2\n" + head +
             "0xbc3 multi setData:" + record("/bench/uncontended-123", 22) +
             std::string("\0\0\0\0\0\0\0\1", 8) + ";create:" + record(longer, 47) +
             std::string(3, '\0') + "-request=1cb517db42fbf9bc-3\nhost=vm\npid=20963\n" +
             std::string("\0\0\0\2\0\0\0\x1f", 8) + "\n" + head +
             "0xbc4 multi check:" + record(path, 46) + std::string("\0\0\0\0", 4) + "\n" + head +
             "0xbc5 multi setData:" + record(longer, 47) +
             std::string("\0\0\0\treleased\n\0\0\0\1", 17) + ";delete:" + record(longer, 47) +
             "\n" + head + "0xbc6 multi error:" + std::string("\xef\xbf\xbd", 3) +
             ";delete:" + record(longer, 47) + "\nEOF reached after 4 txns.\n");
    REQUIRE(log.size() == 2);
    CHECK(log[0].zxid == 0xbc3);
    CHECK(log[0].session == 0x10000d4149e0000);
    REQUIRE(log[0].changes.size() == 1);
    CHECK(log[0].changes[0].creates);
    CHECK(log[0].changes[0].lock == "/bench/uncontended-123");
    CHECK(log[0].changes[0].name == "turn-bc2-lock-0000000000");
    CHECK(log[0].changes[0].request == "1cb517db42fbf9bc-3");
    REQUIRE(log[1].changes.size() == 1);
    CHECK(!log[1].changes[0].creates);
    CHECK(log[1].changes[0].hands_off);
    CHECK(log[1].changes[0].name == "turn-bc2-lock-0000000000");
}

TEST_CASE("Of single transactions those of tickets count") {
    // Three count: an ephemeral node's create (0x4) and deletion (0x6), and a session's end (0x9).
    const auto log =
        read(head + "0x1 createSession 30000\n" + head +
             "0x2 createContainer /l/a,,[31,s{'world,'anyone}\n],1\n" + head +
             "0x3 create /l/a/x-lock-0000000000,,[31,s{'world,'anyone}\n],false,1\n" + head +
             "0x4 create /l/a/x-lock-0000000001,,[31,s{'world,'anyone}\n],true,1\n" + head +
             "0x5 error -110\n" + head + "0x6 delete '/l/a/x-lock-0000000001\n" + head +
             "0x7 delete '/l/a\nCRC ERROR - " + head + "0x8 delete '/l/a/y-lock-0000000001\n" +
             head + "0x8 delete '/l/a/y-lock-0000000001\n" + // the tool shows it twice
             head + "0x9 closeSession v{}\n" +
             "Exception in thread \"main\" java.io.IOException: Unsupported Txn\n\tat main\n");
    REQUIRE(log.size() == 3);
    CHECK(log[0].zxid == 4);
    CHECK(log[0].changes.at(0).creates);
    CHECK(log[1].zxid == 6);
    CHECK(!log[1].changes.at(0).creates);
    CHECK(!log[1].changes.at(0).hands_off);
    CHECK(log[2].closes);
}

TEST_CASE("Of three logs a transaction counts that stands in two") {
    auto s = story::good();
    s.logs.resize(3, s.logs[0]);
    auto without = s;
    without.unlog(0x10);
    const auto whole = s.logs[0];

    s.logs[1] = without.logs[0];
    s.snapshots[1] = {0x10}; // a server that was sent a snapshot
    CHECK(rules_of(s.check()) == words{});
    s.logs[2] = without.logs[0];
    CHECK(s.check().undone == 1); // it was answered, and not kept

    s.logs = {whole, whole, whole};
    auto phantom = s; // has one more ticket
    phantom.create(0x9, 0x11, "/l/a/turn-3-lock-0000000009", "a-7");
    s.logs[1] = phantom.logs[0] + phantom.logs[0]; // a leader without a majority, restarted
    CHECK(rules_of(s.check()) == words{});
    s.logs[2] = phantom.logs[0];
    CHECK(rules_of(s.check()).count("exclusion") == 1);
}

TEST_CASE("Servers that contradict each other are found") {
    auto s = story::good();
    s.logs.resize(2, s.logs[0]);
    auto other = s;
    other.unlog(0x15);
    other.remove(0x15, 0x22, story::ticket(2));
    s.logs[1] = other.logs[0];
    CHECK(says(s.check(), "log", "differ in transaction 0x15"));
}

TEST_CASE("A tail of an epoch that a later epoch contradicts never happened") {
    auto s = story::good();
    for (int zxid = 0x12; zxid <= 0x17; ++zxid)
        s.unlog(zxid); // and told anew in the next epoch
    const auto next = [](std::int64_t zxid) { return zxid + 0x1'0000'0000; };
    SECTION("a create, by another one of the same name") {
        s.create(0x12, 0x22, story::ticket(2), "b-8");
        s.hand_off(0x13, 0x11, story::ticket(0)); // behind it in the epoch, so not kept either
    }
    SECTION("a delete, by another one") { s.remove(0x12, 0x11, story::ticket(0)); }
    SECTION("the end of a session, by what it did later") { s.close(0x12, 0x11); }
    s.hand_off(next(0x12), 0x11, story::ticket(0));
    s.hand_off(next(0x13), 0x22, story::ticket(1));
    s.create(next(0x14), 0x11, story::ticket(2), "a-2");
    s.remove(next(0x15), 0x11, story::ticket(2));
    s.close(next(0x16), 0x11);
    s.close(next(0x17), 0x22);
    CHECK(rules_of(s.check()) == words{});
    CHECK(s.check().tickets == 3);
}

TEST_CASE(
    "A grant by a ticket that the ensemble did not keep fails the run, for that reason only") {
    auto s = story::good();
    for (int zxid = 0x11; zxid <= 0x17; ++zxid)
        s.unlog(zxid);
    const auto next = [](std::int64_t zxid) { return zxid + 0x1'0000'0000; };
    s.create(0x11, 0x22, story::ticket(1), "b-1");
    s.hand_off(next(0x12), 0x11, story::ticket(0));
    s.create(next(0x14), 0x11, story::ticket(1), "a-2"); // the same name again
    s.remove(next(0x15), 0x11, story::ticket(1));
    s.close(next(0x16), 0x11);
    s.close(next(0x17), 0x22);
    const auto v = s.check();
    CHECK(rules_of(v) == words{"log"});
    CHECK(says(v, "log", "made its ticket, and did not keep it"));
    CHECK(v.undone == 1);
}

TEST_CASE("A server that lacks what a majority has is found") {
    auto s = story::good();
    s.logs.resize(3, s.logs[0]);
    auto doctored = s;
    doctored.unlog(0x14);
    doctored.unlog(0x15);
    SECTION("in the middle of its log") {
        s.logs[1] = doctored.logs[0];
        CHECK(
            breaks_only(s, "log", "server-2 lacks 2 transactions that others have, 0x14 to 0x15"));
    }
    SECTION("not if a snapshot brought it their effects") {
        s.logs[1] = doctored.logs[0];
        s.snapshots[1] = {0x15};
        CHECK(rules_of(s.check()) == words{});
        s.snapshots[1] = {0x13};
        CHECK(rules_of(s.check()) == words{"log"});
        s.snapshots[1] = {0x16};
        CHECK(rules_of(s.check()) == words{"log"});
    }
    SECTION("not if it had been stopped by then") {
        for (int zxid = 0x16; zxid <= 0x17; ++zxid)
            doctored.unlog(zxid);
        s.logs[1] = doctored.logs[0];
        CHECK(rules_of(s.check()) == words{});
    }
}

TEST_CASE("What the schedule finds wrong with a run fails it") {
    auto s = story::good();
    s.say(5200, "schedule", "failure", {{"text", "too few leader crashes: 3"}});
    CHECK(breaks_only(s, "run", "too few leader crashes: 3"));
}
