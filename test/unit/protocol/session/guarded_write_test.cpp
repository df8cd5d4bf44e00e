// SPDX-License-Identifier: BSL-1.0
// Writes that the server refuses once a lock is not held any more.
#include "unit/protocol/queue/upgrade_fixture.hpp"
#include "unit/protocol/single_node/single_node_fixture.hpp"

namespace {

const transaction_step sets_data{.what = step_kind::set, .path = "/d", .data = "8"};

template <class Fixture = machine_fixture>
struct writer : Fixture {
    using Fixture::Fixture;

    void write(inquiry_id id, std::vector<ticket_id> locks) {
        this->machine.write(this->now, id, {.locks = std::move(locks), .steps = {sets_data}});
    }
    static std::string written_by(const std::string& ticket) {
        return "transact check " + ticket + "; set /d";
    }
    static std::string written_by(std::int32_t sequence) {
        return written_by(ticket_path(sequence));
    }
    bool sends_write() {
        return std::ranges::any_of(
            this->open(), [](const auto& each) { return each.find("set /d") != each.npos; });
    }
    zookeeper_code last_answer() const { return this->told.answers.back().code; }
};

// To a write under one lock.
reply carried_out() { return {.results = {{}, {.stat = {.mzxid = 300, .version = 4}}}}; }
reply refused_at(std::size_t step, std::size_t steps, zookeeper_code why) {
    return upgrading::refused_step(step, steps, why);
}

} // namespace

TEST_CASE("a guarded write checks the lock's own ticket first, and tells of its own steps alone") {
    writer f;
    f.hold();
    f.write(7, {1});
    REQUIRE(f.open() == texts{f.written_by(0)});
    SECTION("carried out") {
        f.reply(f.written_by(0), carried_out());
        CHECK(f.events() == texts{"answered 7"});
        REQUIRE(f.told.answers.back().results.size() == 1);
        CHECK(f.told.answers.back().results.front().stat.version == 4);
    }
    SECTION("refused for its own sake") {
        f.reply(f.written_by(0), refused_at(1, 2, zookeeper_code::bad_version));
        CHECK(f.events() == texts{"answered 7"});
        REQUIRE(f.told.answers.back().results.size() == 1);
        CHECK(f.told.answers.back().results.front().code == zookeeper_code::bad_version);
    }
    SECTION("refused by a busy server: it is not sent again") {
        f.reply(f.written_by(0), replies::code(zookeeper_code::throttled));
        CHECK(f.events() == texts{"answered 7"});
        f.live(5s);
        CHECK_FALSE(f.sends_write());
    }
}

TEST_CASE("a guarded write without steps asks whether the lock is held") {
    writer f;
    f.hold();
    f.machine.write(f.now, 7, {.locks = {1}});
    f.reply("transact check " + ticket_path(0), {.results = {{}}});
    CHECK(f.events() == texts{"answered 7"});
    CHECK(f.told.answers.back().results.empty());
}

TEST_CASE("a guarded write that finds the ticket gone tells the loss first") {
    writer f;
    f.hold();
    f.write(7, {1});
    SECTION("awaited") {
        f.reply(f.written_by(0), replies::failed_at(0, 2));
        CHECK(f.events() == texts{"lost 1 ticket_deleted", "unanswered 7 ticket_deleted"});
    }
    SECTION("or cancelled: it may have been carried out, and is not awaited") {
        f.cancel(7);
        CHECK(f.events() == texts{"unanswered 7 cancelled"});
        f.reply(f.written_by(0), replies::failed_at(0, 2));
        CHECK(f.events() == texts{"lost 1 ticket_deleted"});
    }
}

TEST_CASE("under a lock that is not held nothing is written") {
    writer f;
    SECTION("one that waits in line") { f.wait(); }
    SECTION("one that was released in the turn before") {
        f.hold();
        f.release(1);
        f.reply("release " + ticket_path(0), replies::ok());
        CHECK(f.events() == texts{"released 1 none"});
    }
    SECTION("one that nobody knows") { f.connect(); }
    f.write(7, {1});
    CHECK(f.events() == texts{"unanswered 7 not_held"});
    CHECK_FALSE(f.sends_write());
}

TEST_CASE("a write goes before a release that is called after it") {
    writer f;
    f.hold();
    f.write(7, {1});
    f.release(1);
    f.write(8, {1});
    CHECK(f.events() == texts{"unanswered 8 not_held"});
    CHECK(f.open() == texts{f.written_by(0), "release " + ticket_path(0)});
}

TEST_CASE("all locks of a write must be held, and all are checked") {
    writer f;
    f.hold();
    f.hold_another(2);
    f.write(7, {1, 2});
    const auto both =
        "transact check " + ticket_path(0) + "; check /m/turn-5-lock-0000000000; set /d";
    REQUIRE(f.open() == texts{both});
    f.reply(both, replies::failed_at(1, 3));
    CHECK(f.events() == texts{"lost 2 ticket_deleted", "unanswered 7 ticket_deleted"});
    f.write(8, {1, 2});
    CHECK(f.events() == texts{"unanswered 8 not_held"});
    CHECK_FALSE(f.sends_write());
}

TEST_CASE("any handle on a lock writes, until it is released itself") {
    writer f;
    f.hold();
    f.share(1, 2);
    f.release(1);
    CHECK(f.events() == texts{"released 1 none"});
    f.write(7, {1});
    CHECK(f.events() == texts{"unanswered 7 not_held"});
    f.write(8, {2});
    CHECK(f.open() == texts{f.written_by(0)});
}

TEST_CASE("a guarded write waits for a connection, and comes behind the first word on it") {
    writer f;
    f.hold();
    f.cut();
    f.write(7, {1});
    f.write(8, {1});
    f.cancel(8);
    CHECK(f.events() == texts{"unanswered 8 cancelled"});
    f.reconnect();
    CHECK(f.open() == texts{"check " + ticket_path(0), f.written_by(0)});
}

TEST_CASE("what was lost or released meanwhile writes nothing on the next connection") {
    writer f;
    SECTION("by the deadline") {
        f.hold();
        f.cut();
        f.write(7, {1});
        f.pass(16s);
        CHECK(f.events() == texts{"lost 1 lease_lost", "unanswered 7 not_held"});
    }
    SECTION("released") {
        f.hold();
        f.cut();
        f.write(7, {1});
        f.release(1);
        CHECK(f.events() == texts{"unanswered 7 not_held"});
    }
    SECTION("by the end of its limit") {
        f.connect();
        f.machine.acquire(f.now, 1, {.path = "/l", .max_hold = 4s});
        f.reply("get /l", replies::folder(5));
        f.enqueued(0, 0);
        f.live(3s);
        f.cut();
        f.write(7, {1});
        f.pass(1s); // within the margin its ticket stands
        CHECK(f.events() == texts{"granted 1 token 100", "near 1", "lost 1 held_too_long",
                                  "unanswered 7 not_held"});
        f.accept();
        CHECK_FALSE(f.sends_write());
        f.write(8, {1});
        CHECK(f.events() == texts{"unanswered 8 not_held"});
        CHECK_FALSE(f.sends_write());
        return;
    }
    SECTION("by the end of the session") {
        f.hold();
        f.cut();
        f.write(7, {1});
        f.pass(3s);
        f.accept(our_session + 1);
        CHECK(f.events() == texts{"lost 1 session_expired", "unanswered 7 not_held"});
        CHECK_FALSE(f.sends_write());
        return;
    }
    f.reconnect();
    CHECK_FALSE(f.sends_write());
}

TEST_CASE("a guarded write is sent once, and without an answer its outcome is unknown") {
    writer f;
    f.hold();
    f.write(7, {1});
    SECTION("the connection is lost") { f.cut(); }
    SECTION("the session is closed") {
        f.machine.close(f.now);
        CHECK(f.events() == texts{"lost 1 session_closed", "answered 7"});
        CHECK(f.last_answer() == zookeeper_code::connection_loss);
        f.reply(f.written_by(0), carried_out());
        CHECK(f.events().empty());
        return;
    }
    CHECK(f.events() == texts{"answered 7"});
    CHECK(f.last_answer() == zookeeper_code::connection_loss);
    f.reconnect();
    CHECK_FALSE(f.sends_write());
}

TEST_CASE("a close refuses what waits to be written") {
    writer f;
    f.hold();
    f.cut();
    f.write(7, {1});
    f.machine.close(f.now);
    CHECK(f.events() == texts{"lost 1 session_closed", "unanswered 7 session_closed", "closed"});
    f.write(8, {1});
    CHECK(f.events() == texts{"unanswered 8 session_closed"});
}

TEST_CASE("who becomes a reader writes by the reader's ticket, once that is made") {
    writer f;
    f.hold();
    f.downgrade(1);
    f.write(7, {1});
    CHECK(f.events() == texts{"unanswered 7 not_held"});
    f.reply("downgrade " + ticket_path(0), replies::ok());
    CHECK(f.events() == texts{"downgraded 1 none"});
    f.write(8, {1});
    f.reply("list " + downgraded_path(0), replies::node(120, our_session));
    CHECK(f.open() == texts{f.written_by(downgraded_path(0))});
}

TEST_CASE("who becomes a writer writes by the ticket of the moment") {
    writer f;
    upgrading::read(f);
    upgrading::begin_upgrade(f);
    f.write(7, {1});
    CHECK(f.open() == texts{upgrading::the_upgrade, f.written_by(reader_path(0))});
    upgrading::end_upgrade(f);
    f.write(8, {1});
    CHECK(f.open() ==
          texts{f.written_by(reader_path(0)), "delete " + reader_path(0), f.written_by(1)});
}

TEST_CASE("a local successor is granted behind the writes of the holder before it") {
    writer f;
    f.hold();
    f.acquire(2);
    f.enqueued(1, 1);
    f.write(7, {1});
    SECTION("which were answered: at once") {
        f.reply(f.written_by(0), carried_out());
        f.release(1);
        CHECK(f.events() == texts{"answered 7", "granted 2 token 101"});
    }
    SECTION("which are on their way: once the deletion behind them is answered") {
        f.release(1);
        f.reply(f.written_by(0), carried_out());
        CHECK(f.events() == texts{"answered 7"});
        f.reply(f.hand_over(0, 1), replies::ok());
        CHECK(f.events() == texts{"released 1 none", "granted 2 token 101"});
    }
    SECTION("whose answer was lost: once the node is gone for sure") {
        f.release(1);
        f.cut();
        CHECK(f.events() == texts{"answered 7"});
        f.reconnect();
        f.reply("check " + ticket_path(1), replies::ok());
        f.reply("get " + ticket_path(0), replies::node(100, our_session));
        f.reply("list /l", replies::listing({"turn-5-lock-0000000000", "turn-5-lock-0000000001"}));
        CHECK(f.open() == texts{"release " + ticket_path(0)}); // it is not asked for before
        f.reply("release " + ticket_path(0), replies::ok());
        CHECK(f.events() == texts{"released 1 none", "granted 2 token 101"});
    }
}

TEST_CASE("a lock of one node guards no writes") {
    writer<contender_of_one> f;
    f.holds();
    f.write(7, {1});
    CHECK(f.events() == texts{"unanswered 7 not_held"});
    CHECK(f.open().empty());
}

TEST_CASE("a write that is larger than servers take is told before it is sent, and only that one") {
    writer f;
    f.hold();
    auto large = sets_data;
    constexpr std::size_t taken = 0xf'ffff - 300;
    const std::size_t more = GENERATE(0U, 300U);
    large.data.assign(taken + more, 'x');
    f.machine.write(f.now, 7, {.locks = {1}, .steps = {large}});
    CHECK(f.sends_write() == (more == 0));
    if (!f.sends_write()) {
        CHECK(f.events() == texts{"answered 7"});
        CHECK(f.last_answer() == zookeeper_code::too_large);
    }
    f.wire.open.clear();
    f.write(8, {1});
    CHECK(f.sends_write());
}

TEST_CASE("a write that makes its node sets it where it is there, and never both") {
    writer f;
    f.hold();
    const std::string makes = "transact check " + ticket_path(0) + "; create /d";
    f.machine.write(f.now, 7, {.locks = {1}, .steps = {sets_data}, .makes = true});
    f.reply(f.written_by(0), refused_at(1, 2, zookeeper_code::no_node));
    CHECK(f.events().empty());
    SECTION("it is made") {
        f.reply(makes, carried_out());
        CHECK(f.events() == texts{"answered 7"});
    }
    SECTION("another has made it meanwhile") {
        f.reply(makes, refused_at(1, 2, zookeeper_code::node_exists));
        f.reply(f.written_by(0), carried_out());
        CHECK(f.events() == texts{"answered 7"});
    }
    SECTION("the right is missing") {
        f.reply(makes, refused_at(1, 2, zookeeper_code::no_auth));
        CHECK(f.events() == texts{"answered 7"});
        CHECK(f.last_answer() == zookeeper_code::no_auth);
    }
    SECTION("its answer is lost") {
        f.cut();
        CHECK(f.events() == texts{"answered 7"});
        CHECK(f.last_answer() == zookeeper_code::connection_loss);
        f.reconnect();
        CHECK_FALSE(f.sends_write());
    }
    SECTION("the lock is gone") {
        f.reply(makes, replies::failed_at(0, 2));
        CHECK(f.events() == texts{"lost 1 ticket_deleted", "unanswered 7 ticket_deleted"});
    }
}

TEST_CASE("a write that does not make its node is told that it is missing") {
    writer f;
    f.hold();
    f.write(7, {1});
    f.reply(f.written_by(0), refused_at(1, 2, zookeeper_code::no_node));
    CHECK(f.events() == texts{"answered 7"});
    CHECK(f.last_answer() == zookeeper_code::no_node);
    CHECK(f.open().empty());
}
