// SPDX-License-Identifier: BSL-1.0
// Who leads, and what was proclaimed, asked in two requests at a time.
#include "protocol/election/leader_watch.hpp"

#include "unit/protocol/machine_fixture.hpp"

namespace {

const auto leading_ticket = ticket_path(0);
const auto next_ticket = ticket_path(1);
const std::string proclaimed = "/l%leader";

std::string name_of_node(const std::string& path) { return path.substr(3); }
std::string data_of(const std::string& value) {
    return ticket_data({.host = "a", .process = "9"}).str("1-2", value);
}

struct observer : machine_fixture {
    explicit observer(bool follows) {
        connect();
        what = ask_all(7, leader_watch("/l", follows));
    }

    /// It is told of: nothing, or the leader's czxid and value.
    std::string news() {
        const auto heard = events();
        if (heard.empty())
            return {};
        REQUIRE(heard == texts{"answered 7"});
        return std::to_string(what->found()->czxid) + ' ' + what->found()->who.value;
    }
    void meets_leader() {
        reply("list /l",
              replies::listing({name_of_node(next_ticket), name_of_node(leading_ticket)}));
        reply("exists " + proclaimed, replies::no_node());
        CHECK(news().empty());
        reply("watch " + leading_ticket, replies::node(100, other_session, data_of("http://a")));
        CHECK(news() == "100 http://a");
    }
    void proclaims(std::uint64_t token, const std::string& value) {
        machine.on_watch(now, watch_event::created, proclaimed);
        reply("watch " + proclaimed, replies::node(300, 0, proclamation_of(token, value)));
    }

    std::shared_ptr<leader_watch> what;
};

} // namespace

TEST_CASE("a ticket that was listed before the connection was lost is not read by its name") {
    observer f(GENERATE(false, true));
    f.reply("list /l", replies::listing({name_of_node(leading_ticket)}));
    f.cut();
    f.reconnect();
    const auto open = f.open();
    CHECK(std::ranges::count(open, "list /l") == 1);
    CHECK(std::ranges::count_if(
              open, [](const std::string& each) { return each.ends_with(leading_ticket); }) == 0);
}

TEST_CASE("who leads is told once both are read, whichever comes last") {
    observer f(false);
    f.reply("list /l", replies::listing({name_of_node(leading_ticket)}));
    const auto read_proclaimed = [&] {
        f.reply("get " + proclaimed, replies::node(300, 0, proclamation_of(100, "http://b")));
    };
    const auto read_leader = [&] {
        f.reply("get " + leading_ticket, replies::node(100, other_session, data_of("http://a")));
    };
    SECTION("the leader's ticket") {
        read_proclaimed();
        CHECK(f.news().empty());
        read_leader();
    }
    SECTION("what is proclaimed, since the server was busy") {
        f.reply("get " + proclaimed, {.code = zookeeper_code::throttled});
        read_leader();
        CHECK(f.news().empty());
        f.live(2s);
        read_proclaimed();
    }
    CHECK(f.news() == "100 http://b");
    CHECK(f.what->over());
    CHECK(f.what->found()->session == other_session);
    CHECK(f.what->found()->who.host == "a");
}

TEST_CASE("nobody leads where nobody stands in line") {
    observer f(false);
    f.reply("list /l", replies::no_node());
    f.reply("get " + proclaimed, replies::node(300, 0, proclamation_of(100, "http://b")));
    CHECK(f.news() == "0 ");
}

TEST_CASE("what is proclaimed is news, and counts for its own leader alone") {
    observer f(true);
    f.meets_leader();
    f.proclaims(100, "http://b");
    CHECK(f.news() == "100 http://b");
    SECTION("by the next leader") {
        f.changed(proclaimed);
        f.reply("watch " + proclaimed, replies::node(300, 0, proclamation_of(101, "http://c")));
        CHECK(f.news() == "100 http://a"); // its own again: the leader is about to change
        f.deleted(leading_ticket);
        f.reply("list /l", replies::listing({name_of_node(next_ticket)}));
        f.reply("watch " + next_ticket, replies::node(101, other_session, data_of("http://d")));
        CHECK(f.news() == "101 http://c");
    }
    SECTION("nothing yet") {
        f.deleted(leading_ticket);
        f.reply("list /l", replies::listing({name_of_node(next_ticket)}));
        CHECK(f.news().empty());
        f.reply("watch " + next_ticket, replies::node(101, other_session, data_of("http://d")));
        CHECK(f.news() == "101 http://d");
    }
}

TEST_CASE("the same leader with the same value is no news") {
    observer f(true);
    f.meets_leader();
    f.cut();
    f.reconnect();
    f.reply("check " + leading_ticket, replies::ok());
    f.reply("watch " + leading_ticket, replies::node(100, other_session, data_of("http://a")));
    f.reply("exists " + proclaimed, replies::no_node());
    CHECK(f.news().empty());
    CHECK(f.open().empty());
}

TEST_CASE("an event of one node has that one read again") {
    observer f(true);
    f.meets_leader();
    f.proclaims(100, "http://b");
    f.changed(proclaimed);
    CHECK(f.open() == texts{"watch " + proclaimed});
    f.deleted(leading_ticket);
    CHECK(f.open() == texts{"watch " + proclaimed, "list /l"});
}

TEST_CASE("who may not read one of both is told so") {
    observer f(GENERATE(true, false));
    const bool path = GENERATE(true, false);
    if (path) {
        f.reply("list /l", replies::no_auth());
    } else {
        f.reply("list /l", replies::listing({name_of_node(leading_ticket)}));
        f.reply(f.open().front(), replies::no_auth());
    }
    CHECK(f.events() == texts{"unanswered 7 read_denied"});
    while (!f.open().empty())
        f.reply(f.open().front(), replies::no_node());
    CHECK(f.events().empty());
}
