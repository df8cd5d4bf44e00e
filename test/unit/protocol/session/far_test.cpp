// SPDX-License-Identifier: BSL-1.0
// A session whose every ticket is far from the front beats with reads that show its places.
#include "unit/protocol/machine_fixture.hpp"

namespace {

/// Of the lock path, after `made` creates of tickets of which this many stand.
reply place(std::int32_t made, std::int32_t standing) {
    return {.stat = {.czxid = 5, .children = standing, .child_version = 2 * made - standing}};
}

/// Ticket 1 has number 100, and `others` stand before it.
void stand_behind(machine_fixture& f, std::int32_t others) {
    f.begin_acquire();
    f.enqueued(100, others);
    f.reply("watch " + ticket_path(99), replies::node(199, other_session));
    REQUIRE(f.open().empty());
}

const texts near_beat{machine_fixture::waiting_beat(100, 99)};
const texts far_beat{"exists /l"};

/// A listing with ticket 1, this many tickets before it, and children that are no tickets.
reply line(std::int32_t tickets, std::int32_t others = 0) {
    texts children{"turn-5-lock-" + digits(100)};
    for (std::int32_t each = 1; each <= tickets; ++each)
        children.push_back("turn-5-lock-" + digits(100 - each));
    for (std::int32_t each = 0; each < others; ++each)
        children.push_back("other-" + std::to_string(each));
    return replies::listing(children);
}

/// The next beat, and its answer. Now and then a listing goes before it, if the line is short.
texts beat(machine_fixture& f, const reply& answer, const reply& listing = line(90)) {
    f.pass(2s);
    if (f.open().front() == "list /l")
        f.reply("list /l", listing);
    const auto result = f.open();
    REQUIRE(result.size() == 1);
    f.reply(result.front(), answer);
    return result;
}

} // namespace

TEST_CASE("more than 64 stand before each ticket: the session beats with reads") {
    machine_fixture f;
    const auto others = GENERATE(64, 65);
    stand_behind(f, others);
    CHECK(beat(f, place(101, 66)) == (others == 64 ? near_beat : far_beat));
}

TEST_CASE("a session writes nothing as long as it is far from the front") {
    machine_fixture f;
    stand_behind(f, 90);
    for (int beats = 0; beats < 24; ++beats) // more behind it each time, and fewer before it
        CHECK(beat(f, place(101 + beats, 91)) == far_beat);
    CHECK(f.told.queued.front() == "1 behind 90");
    CHECK(f.told.queued.back() == "1 up behind 67");
    CHECK(f.told.queued.size() == 24);
    CHECK(f.events().empty());
}

TEST_CASE("who is told 64 before it, or less, proves its lease by writes from then on") {
    machine_fixture f;
    stand_behind(f, 90);
    CHECK(beat(f, place(101, 91)) == far_beat);
    SECTION("it moved up") { CHECK(beat(f, place(101, 65)) == far_beat); }
    SECTION("others behind it left, and the answer says nothing") {
        CHECK(beat(f, place(200, 91)) == far_beat);
    }
    SECTION("the lock path is gone") {
        CHECK(beat(f, {.code = zookeeper_code::no_node}) == far_beat);
    }
    SECTION("the lock path is another") {
        auto other = place(101, 91);
        other.stat.czxid = 6;
        CHECK(beat(f, other) == far_beat);
    }
    CHECK(beat(f, replies::ok()) == near_beat);
    CHECK(beat(f, replies::ok()) == near_beat);
}

TEST_CASE("an older answer puts nobody back") {
    machine_fixture f;
    stand_behind(f, 90);
    beat(f, place(101, 80));
    CHECK(f.told.queued.back() == "1 up behind 79");
    beat(f, place(101, 91));
    CHECK(f.told.queued.back() == "1 up behind 79");
}

TEST_CASE("children that are no tickets are not waited for, and leave a session near") {
    machine_fixture f;
    stand_behind(f, 101);
    for (int beats = 0; beats < 6; ++beats)
        CHECK(beat(f, place(101, 102), line(1, 100)) == far_beat);
    CHECK(beat(f, replies::ok()) == near_beat);
    CHECK(f.told.queued == texts{"1 behind 101", "1 up behind 1"});
}

TEST_CASE("a reader does not wait for readers, and is near behind one writer") {
    machine_fixture f;
    f.begin_shared_acquire();
    f.reader_enqueued(100, 71);
    f.reply("watch " + ticket_path(99), replies::node(199, other_session));
    f.reply("get " + reader_path(99), replies::no_node());
    texts children{"turn-5-read-lock-" + digits(100), "turn-5-lock-" + digits(99)};
    for (std::int32_t each = 0; each < 70; ++each)
        children.push_back("turn-5-read-lock-" + digits(each));
    for (int beats = 0; beats < 6; ++beats)
        CHECK(beat(f, place(101, 72), replies::listing(children)) == far_beat);
    f.pass(2s);
    CHECK(f.open().front().starts_with("transact " + reader_path(100)));
}

TEST_CASE("far from the front a lost event is found within T, by reads") {
    machine_fixture f;
    const bool is_short = GENERATE(true, false);
    const auto others = is_short ? 90 : 900;
    stand_behind(f, others);
    for (int beats = 1; beats < 6; ++beats)
        CHECK(beat(f, place(101, others + 1)) == far_beat);
    f.pass(2s);
    const texts reads = is_short ? texts{"list /l"}
                                 : texts{"exists " + ticket_path(100), "exists " + ticket_path(99)};
    auto all = reads;
    all.push_back("exists /l");
    REQUIRE(f.open() == all);
    SECTION("of the predecessor") {
        auto without = line(90);
        std::erase(without.children, "turn-5-lock-" + digits(99));
        f.reply(reads[0], is_short ? without : replies::node(200, our_session));
        if (!is_short)
            f.reply(reads[1], replies::no_node());
        CHECK(f.events() == texts{"missed " + ticket_path(99)});
        f.reply("exists /l", place(101, others));
        CHECK(f.open() == texts{"watch " + downgraded_path(99)});
    }
    SECTION("of the own ticket") {
        auto without = line(90);
        std::erase(without.children, "turn-5-lock-" + digits(100));
        f.reply(reads[0], is_short ? without : replies::no_node());
        CHECK(f.open().back() == "enqueue /l/turn-5-lock-");
        CHECK(f.events().empty());
    }
    SECTION("none was lost") {
        for (const auto& read : reads)
            f.reply(read, is_short ? line(90) : replies::node(200, our_session));
        f.reply("exists /l", place(101, others + 1));
        CHECK(f.open().empty());
        CHECK(f.events().empty());
    }
}

TEST_CASE("with 4,000 tickets that wait each is checked within T, and no beat is large") {
    auto options = machine_fixture::defaults();
    options.ticket_bytes = std::size_t{1} << 24U;
    machine_fixture f(options);
    f.connect();
    std::set<std::string> awaited;
    const std::string folder = "/a/path/that/is/not/a/short/one/at/all/";
    for (ticket_id id = 1; id <= 4000; ++id) {
        const auto path = folder + std::to_string(1000 + id);
        f.acquire(id, path);
        f.reply("get " + path, replies::folder(5));
        f.reply("enqueue " + path + "/turn-5-lock-",
                replies::placed(path + "/turn-5-lock-" + digits(1),
                                100 + static_cast<std::int64_t>(id), 1));
        f.reply("watch " + path + "/turn-5-lock-" + digits(0), replies::node(100, other_session));
        awaited.insert(path + "/turn-5-lock-" + digits(0));
    }
    const auto end = f.now + 16s;
    while (f.now < end) {
        f.pass(1s);
        while (!f.open().empty()) {
            const auto what = f.wire.open.front().what;
            const bool lists = what.op == operation::get_children;
            const texts line{"turn-5-lock-" + digits(0), "turn-5-lock-" + digits(1)};
            awaited.erase(lists ? what.path + '/' + line[0] : what.path);
            std::size_t bytes = 0;
            for (const auto& step : what.steps) {
                awaited.erase(step.path);
                bytes += step.path.size() + 24;
            }
            CHECK(bytes <= 2048);
            f.reply(f.open().front(),
                    lists ? replies::listing(line) : replies::node(100, our_session));
        }
    }
    CHECK(awaited.empty());
    CHECK(f.wire.drops == 0);
}

TEST_CASE("with a lock held, or one ticket near the front, a session beats with writes") {
    machine_fixture f;
    stand_behind(f, 90);
    const bool held = GENERATE(true, false);
    f.acquire(2, "/m");
    f.reply("get /m", replies::folder(5));
    const std::string node = "/m/turn-5-lock-000000000";
    f.reply("enqueue /m/turn-5-lock-", replies::placed(node + '1', 300, held ? 0 : 1));
    if (held) {
        CHECK(f.events() == texts{"granted 2 token 300"});
    } else {
        f.reply("watch " + node + '0', replies::node(299, other_session));
    }
    f.pass(2s);
    CHECK(f.open().front().starts_with("transact "));
    CHECK(std::ranges::count(f.open(), "exists /l") == 0);
}

TEST_CASE("the first request on a connection is a write, also far from the front") {
    machine_fixture f;
    stand_behind(f, 90);
    f.cut();
    f.reconnect();
    CHECK(f.open().front().starts_with("check ")); // what it waited for is to be looked up again
}

TEST_CASE("a session that was far and is first all at once is granted after two writes") {
    machine_fixture f;
    stand_behind(f, 90);
    for (int beats = 0; beats < 20; ++beats)
        beat(f, place(101, 91));
    f.changed(ticket_path(99));
    const auto check = "check " + ticket_path(100);
    f.reply(check, replies::ok());
    CHECK(f.events().empty());
    CHECK(f.wire.drops == 0);
    f.reply(check, replies::ok());
    CHECK(f.events() == texts{"granted 1 token 200"});
    CHECK(*f.told.deadline_at_grant - f.now > 8s);
}

TEST_CASE("a session that is near reads its place where somebody wants to know") {
    auto options = machine_fixture::defaults();
    options.tells_places = true;
    machine_fixture f(options);
    stand_behind(f, 9);
    f.pass(2s);
    REQUIRE(f.open() == texts{"exists /l", near_beat.front()});
    f.reply("exists /l", place(101, 8));
    CHECK(f.told.queued.back() == "1 up behind 7");
}
