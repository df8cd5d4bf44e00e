// SPDX-License-Identifier: BSL-1.0
// A holder is asked to let go: question by question, each must be the one expected.
#include "protocol/yield/yield_request.hpp"

#include "protocol/inspect/path_read.hpp"
#include "support/names.hpp"
#include "support/replies.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string lists = "list /l";
const std::string asks = "transact /lephemeral /l%0000000000%yield";
const std::string looks = "get /l%0000000000%yield";
const std::string waits = "watch " + ticket_path(0);
const std::string leaves = "delete /l%0000000000%yield";

struct asker {
    explicit asker(ticket_id id = 7)
        : what("/l", "deploy", ticket_data_writer({.host = "h", .process = "1"}),
               {.random = 0xab, .acquire = id}) {}

    void answer(const std::string& expected, const reply& with) {
        REQUIRE_FALSE(what.over());
        REQUIRE_FALSE(what.awaits());
        REQUIRE(text_of(what.question()) == expected);
        last = what.question();
        what.on_answer(with);
    }
    void answer(const std::string& expected, zookeeper_code with) {
        answer(expected, replies::code(with));
    }
    /// It is about to make its node.
    void meets_holder() {
        answer(lists, replies::listing({ticket_path(1).substr(3), ticket_path(0).substr(3)}));
        answer(waits, replies::node(100, other_session));
    }
    /// The ticket that was meant is gone.
    void meets_next() {
        answer(lists, replies::listing({ticket_path(1).substr(3)}));
        answer("watch " + ticket_path(1), replies::node(101, other_session));
    }
    /// It waits for the end of the ticket.
    void has_asked() {
        meets_holder();
        answer(asks, zookeeper_code::ok);
        node = last.steps.front().data;
        answer(waits, replies::node(100, other_session));
        REQUIRE(what.awaits());
    }
    /// An event, a reconnect, or time: the last question is answered once more.
    void hears(const reply& with) { what.on_answer(with); }
    void ends(failure why) {
        REQUIRE(what.over());
        CHECK(what.why() == why);
    }

    yield_request what;
    request last{};
    std::string node{}; // its data
};

std::string asked_by_another() {
    return ticket_data_writer({.host = "o", .process = "2"}).str("cd-1", "why");
}

} // namespace

TEST_CASE("a request to yield names the first ticket, and ends when that is gone") {
    asker f;
    f.has_asked();
    path_read holder({.op = operation::exists, .path = "/l%0000000000%yield", .watch = true});
    holder.on_answer(replies::no_node());
    CHECK(holder.awaits());
    holder.on_answer(replies::node(7, other_session, f.node));
    CHECK(holder.over());
    CHECK(ticket_data::parse(holder.found().data)->value == "deploy");
    CHECK(ticket_data::parse(holder.found().data)->host == "h");
    f.hears(replies::no_node());
    f.meets_holder(); // it was only set
    f.hears(replies::no_node());
    f.meets_next();
    f.answer(leaves, zookeeper_code::ok);
    f.ends(failure::none);
}

TEST_CASE("a request names its ticket, also of a lock without a line") {
    CHECK(yield_node_of("/l", "turn-5-lock-0000000003", 100) == "/l%0000000003%yield");
    CHECK(yield_node_of("/l", "turn-5-down-read-lock-0000000003", 0) == "/l%0000000003%yield");
    CHECK(yield_node_of("/l", "holder", 100) == "/l%100%yield");
    CHECK(yield_node_of("/l", "", 100) == "/l%%yield");
}

TEST_CASE("where nobody stands in line nobody is asked") {
    asker f;
    SECTION("no path") {
        f.answer(lists, zookeeper_code::no_node);
        f.answer("exists /l", zookeeper_code::no_node);
    }
    SECTION("no ticket") {
        f.answer(lists, replies::listing({"notes"}));
        f.answer(lists, replies::listing({"notes"})); // with a watch
    }
    SECTION("a node that goes with no session") {
        const auto stray = replies::listing({ticket_path(0).substr(3)});
        f.answer(lists, stray);
        f.answer(waits, replies::node(100, 0));
        f.answer(lists, stray);
        f.answer(lists, stray);
    }
    f.ends(failure::not_held);
}

TEST_CASE("a holder that goes before it is read is passed over") {
    asker f;
    f.answer(lists, replies::listing({ticket_path(0).substr(3)}));
    f.answer(waits, zookeeper_code::no_node);
    f.meets_holder();
    CHECK(text_of(f.what.question()) == asks);
}

TEST_CASE("a path that goes with the one above it before the node is made is listed again") {
    asker f;
    f.meets_holder();
    SECTION("nobody stands there") {
        f.answer(asks, zookeeper_code::no_node);
        f.answer(waits, zookeeper_code::no_node);
        f.answer(lists, zookeeper_code::no_node);
        f.answer("exists /l", zookeeper_code::no_node);
        f.ends(failure::not_held);
    }
    SECTION("nobody asks any more") {
        CHECK(f.what.take_back());
        f.answer(asks, zookeeper_code::no_node);
        CHECK(f.what.over());
    }
}

TEST_CASE("a node that means the same ticket asks for both") {
    asker f;
    f.meets_holder();
    f.answer(asks, zookeeper_code::node_exists);
    f.answer(looks, replies::node(5, other_session, asked_by_another()));
    f.answer(waits, replies::node(100, other_session));
    REQUIRE(f.what.awaits());
    SECTION("and is not this one's to remove") {
        f.hears(replies::no_node());
        f.meets_next();
        f.answer(leaves, zookeeper_code::no_node);
        f.ends(failure::none);
    }
    SECTION("nor when it gives up") { CHECK_FALSE(f.what.take_back()); }
    SECTION("its asker has given up: this one asks by itself") {
        f.hears(replies::node(100, other_session));
        f.answer(looks, zookeeper_code::no_node);
        f.answer(asks, zookeeper_code::ok);
        CHECK(text_of(f.what.question()) == waits);
    }
}

TEST_CASE("another request of the same process is another's") {
    asker one(7);
    one.has_asked();
    asker other(8);
    other.meets_holder();
    other.answer(asks, zookeeper_code::node_exists);
    other.answer(looks, replies::node(5, our_session, one.node));
    other.answer(waits, replies::node(100, other_session));
    CHECK_FALSE(other.what.take_back());
}

TEST_CASE("a node whose making was not answered is looked for") {
    asker f;
    f.meets_holder();
    const auto mine = f.what.question().steps.front().data;
    f.answer(asks, zookeeper_code::connection_loss);
    SECTION("it is there, and goes in the end") {
        f.answer(looks, replies::node(5, our_session, mine));
        f.answer(waits, zookeeper_code::no_node);
        f.meets_next();
        f.answer(leaves, zookeeper_code::ok);
        f.ends(failure::none);
    }
    SECTION("it is not: it is made") {
        f.answer(looks, zookeeper_code::no_node);
        CHECK(text_of(f.what.question()) == asks);
    }
    SECTION("the asker gives up meanwhile") {
        CHECK(f.what.take_back());
        f.answer(looks, replies::node(5, our_session, mine));
        f.answer(leaves, zookeeper_code::ok);
        CHECK(f.what.over());
    }
}

TEST_CASE("who gives up before its node is there has nothing to take away") {
    asker f;
    CHECK_FALSE(f.what.take_back());
}

TEST_CASE("who gives up takes its node away") {
    asker f;
    SECTION("while it is made") {
        f.meets_holder();
        CHECK(f.what.take_back());
        f.answer(asks, zookeeper_code::ok);
    }
    SECTION("while it is made, and one was there that may be its own") {
        f.meets_holder();
        const auto mine = f.what.question().steps.front().data;
        f.answer(asks, zookeeper_code::connection_loss);
        f.answer(looks, zookeeper_code::no_node); // the first one comes after that
        CHECK(f.what.take_back());
        f.answer(asks, zookeeper_code::node_exists);
        f.answer(looks, replies::node(5, our_session, mine));
    }
    SECTION("before the ticket is watched") {
        f.meets_holder();
        f.answer(asks, zookeeper_code::ok);
        CHECK(f.what.take_back());
        f.answer(waits, replies::node(100, other_session));
    }
    SECTION("while it waits") {
        f.has_asked();
        CHECK(f.what.take_back());
    }
    f.answer(leaves, zookeeper_code::connection_loss); // and again, where that was not answered
    CHECK_FALSE(f.what.over());
    f.answer(leaves, zookeeper_code::no_node);
    CHECK(f.what.over());
}

TEST_CASE("a node that went with its session is made anew") {
    asker f;
    f.has_asked();
    f.hears(replies::node(100, other_session));
    f.answer(looks, zookeeper_code::no_node);
    f.answer(asks, zookeeper_code::ok);
    f.answer(waits, replies::node(100, other_session));
    CHECK(f.what.awaits());
}

TEST_CASE("another ticket of the same name is not the one that was meant") {
    asker f;
    f.has_asked();
    f.hears(replies::node(200, other_session));
    f.answer(lists, replies::listing({ticket_path(0).substr(3)}));
    f.answer(waits, replies::node(200, other_session));
    f.answer(leaves, zookeeper_code::ok);
    f.ends(failure::none);
}

TEST_CASE("a request to yield may be denied where the line is listed") {
    asker f;
    f.answer(lists, zookeeper_code::no_auth);
    f.ends(failure::read_denied);
}

TEST_CASE("a request to yield may be denied where its node is made") {
    asker f;
    f.meets_holder();
    f.answer(asks, zookeeper_code::no_auth);
    f.ends(failure::create_denied);
}

TEST_CASE("a request to yield whose ticket cannot be read any more takes its node away") {
    asker f;
    f.has_asked();
    f.hears(replies::no_auth());
    f.answer(leaves, zookeeper_code::ok);
    f.ends(failure::read_denied);
}
