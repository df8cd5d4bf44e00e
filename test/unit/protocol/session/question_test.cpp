// SPDX-License-Identifier: BSL-1.0
// Questions of several requests, from their beginning to their end.
#include "protocol/election/leader_watch.hpp"
#include "protocol/inspect/line_survey.hpp"
#include "protocol/inspect/ticket_removal.hpp"
#include "protocol/yield/yield_request.hpp"
#include "protocol/yield/yield_wait.hpp"
#include "unit/protocol/machine_fixture.hpp"

namespace {

const auto held_ticket = ticket_path(0);
const std::string yield_node = "/l%yield";
const auto asks = "transact /l%yieldephemeral " + yield_node;
const auto takes_back = "transact /l%yielddelete " + yield_node + "@0";

struct asker : machine_fixture {
    asker() { connect(); }

    /// The first ticket is asked to let go.
    void meet_holder() {
        ask_all(7, yield_request("/l", "deploy", ticket_data({.host = "h"}),
                                 {.random = 1, .acquire = 7}));
        reply("list /l", replies::listing({held_ticket.substr(3)}));
        reply("get " + held_ticket, replies::node(100, other_session));
    }
    void has_asked() {
        meet_holder();
        reply(asks, replies::ok());
        reply("watch " + held_ticket, replies::node(100, other_session));
        REQUIRE(open().empty());
        REQUIRE(events().empty());
    }
};

} // namespace

TEST_CASE("a question that is cancelled ends when it has put back what it made") {
    asker f;
    SECTION("it waits for an event") {
        f.has_asked();
        f.cancel(7);
    }
    SECTION("it waits for an answer") {
        f.meet_holder();
        f.cancel(7);
        CHECK(f.open() == texts{asks});
        f.reply(asks, replies::ok());
    }
    SECTION("no server is there") {
        f.has_asked();
        f.cut();
        f.cancel(7);
        f.reconnect();
        f.reply("check /l%yield", replies::ok());
    }
    CHECK(f.events().empty());
    f.reply(takes_back, replies::ok());
    CHECK(f.events() == texts{"unanswered 7 cancelled"});
    CHECK(f.open().empty());
}

TEST_CASE("a question that made nothing ends as soon as it is cancelled, and with the session") {
    asker f;
    SECTION("cancelled") {
        f.ask_all(7, yield_wait(
                         "/l", [] { return held_ticket.substr(3); }, 100));
        f.cancel(7);
        CHECK(f.events() == texts{"unanswered 7 cancelled"});
    }
    SECTION("closed") {
        f.has_asked();
        f.machine.close(f.now);
        CHECK(f.events() == texts{"unanswered 7 session_closed"});
    }
}

TEST_CASE("an event for what a question asked before is no answer to what it asks next") {
    asker f;
    const auto what = f.ask_all(7, leader_watch("/l", true));
    f.reply("list /l", replies::listing({held_ticket.substr(3)}));
    f.reply("exists /l%leader", replies::no_node());
    f.reply("watch " + held_ticket, replies::node(100, other_session));
    CHECK(f.events() == texts{"answered 7"});
    f.deleted(held_ticket);
    CHECK(f.open() == texts{"list /l"});
    f.deleted(held_ticket);
    f.machine.on_watch(f.now, watch_event::children, "/l");
    CHECK(f.open() == texts{"list /l"});
    f.reply("list /l", replies::listing({}));
    CHECK(f.open() == texts{"list /l"}); // with a watch
}

TEST_CASE("a question that is over watches nothing") {
    asker f;
    const auto what = f.ask_all(7, yield_wait(
                                       "/l", [] { return held_ticket.substr(3); }, 100));
    f.reply("exists " + yield_node, replies::no_node());
    CHECK(f.events().empty()); // it waits
    f.machine.on_watch(f.now, watch_event::created, yield_node);
    const auto data =
        ticket_data({.host = "h"}).str("1-2", "deploy", held_ticket.substr(3) + " 100");
    f.reply("watch " + yield_node, replies::node(200, other_session, data));
    CHECK(f.events() == texts{"answered 7"});
    CHECK(what->found().value == "deploy");
    f.changed(yield_node);
    f.cancel(7);
    f.cut();
    f.reconnect();
    CHECK(f.open() == texts{"exists /"});
    CHECK(f.events().empty());
}

TEST_CASE("all requests of a question wait from its beginning on") {
    machine_fixture f;
    f.ask_all(7,
              ticket_removal("/l", {.node = held_ticket.substr(3), .session_id = other_session}));
    f.pass(25s);
    f.accept();
    f.reply("exists /", replies::ok()); // no write is answered
    f.reply("get " + held_ticket, replies::node(100, other_session));
    CHECK(f.open().size() == 1); // the removal
    f.pass(4900ms);
    CHECK(f.events().empty());
    f.pass(200ms);
    CHECK(f.events() == texts{"unanswered 7 unreachable"});
}

TEST_CASE("each request of who follows a leader, or lists a long line, waits for itself") {
    machine_fixture f;
    const bool follows = GENERATE(true, false);
    if (follows)
        f.ask_all(7, leader_watch("/l", true));
    else
        f.ask_all(7, line_survey("/l", 1));
    f.pass(25s);
    f.accept();
    f.reply("exists /", replies::ok()); // no write is answered
    f.reply("list /l", replies::listing({held_ticket.substr(3)}));
    if (follows)
        f.reply("exists /l%leader", replies::no_node());
    CHECK(f.open() == texts{(follows ? "watch " : "get ") + held_ticket});
    f.pass(5100ms);
    CHECK(f.events().empty());
}

TEST_CASE("a holder's question whether it is to yield outlasts servers that are away") {
    machine_fixture f;
    f.ask_all(7, yield_wait(
                     "/l", [] { return held_ticket.substr(3); }, 100));
    f.ask_all(8, leader_watch("/l", true));
    f.pass(31s);
    CHECK(f.events() == texts{"unanswered 8 unreachable"});
    f.accept();
    f.reply("exists /", replies::ok()); // no write is answered
    CHECK(f.open() == texts{"exists " + yield_node});
    f.machine.close(f.now);
    CHECK(f.events() == texts{"unanswered 7 session_closed"});
}

TEST_CASE("a question with several requests in one flight ends once") {
    asker f;
    const auto survey = f.ask_all(7, line_survey("/l", 2), f.now + 2s);
    f.reply("list /l", replies::listing({ticket_path(1).substr(3), held_ticket.substr(3)}));
    REQUIRE(f.open() == texts{"get " + held_ticket, "get " + ticket_path(1)});
    SECTION("answered") {
        f.reply("get " + held_ticket, replies::node(100, other_session));
        CHECK(f.events().empty());
        f.reply("get " + ticket_path(1), replies::node(101, other_session));
        CHECK(f.events() == texts{"answered 7"});
        CHECK(survey->take().size() == 2);
    }
    SECTION("one is missing when its time is over") {
        f.reply("get " + held_ticket, replies::node(100, other_session));
        f.pass(2s);
        CHECK(f.events() == texts{"unanswered 7 timeout"});
        f.reply("get " + ticket_path(1), replies::node(101, other_session));
        CHECK(f.events().empty());
    }
    SECTION("the session is closed") {
        f.machine.close(f.now);
        CHECK(f.events() == texts{"unanswered 7 session_closed"});
    }
}
