// SPDX-License-Identifier: BSL-1.0
// A holder is asked to let go: question by question, each must be the one expected.
#include "protocol/yield/yield_request.hpp"

#include "protocol/yield/yield_wait.hpp"
#include "support/names.hpp"
#include "support/replies.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string lists = "list /l";
const std::string asks = "transact /l%yieldephemeral /l%yield";
const std::string looks = "get /l%yield";
const std::string reads = "get " + ticket_path(0);
const std::string waits = "watch " + ticket_path(0);
const std::string leaves = "transact /l%yielddelete /l%yield@0";
const auto name_of_first = ticket_path(0).substr(3);

struct asker {
    explicit asker(ticket_id id = 7, yield_request::own_ticket is_own = {})
        : what("/l", "deploy", ticket_data({.host = "h", .process = "1"}),
               {.random = 0xab, .acquire = id}, std::move(is_own)) {}

    void answer(const std::string& expected, const reply& with) {
        REQUIRE_FALSE(what.over());
        REQUIRE_FALSE(what.awaits());
        REQUIRE(text_of(what.question()) == expected);
        last = what.question();
        if (expected == asks)
            made = last.steps.front().data;
        what.on_answer(with);
    }
    void answer(const std::string& expected, zookeeper_code with) {
        answer(expected, replies::code(with));
    }
    /// It is about to make its node.
    void meets_holder() {
        answer(lists, replies::listing({ticket_path(1).substr(3), name_of_first}));
        answer(node.empty() ? reads : waits, replies::node(100, other_session));
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
    std::string node{}; // its data, once it waits
    std::string made{}; // its data
};

std::string asked_by_another(const std::string& ticket = name_of_first + " 100") {
    return ticket_data({.host = "o", .process = "2"}).str("cd-1", "why", ticket);
}

bool is_asked(const std::string& own, std::int64_t czxid, const std::string& data) {
    yield_wait holder(
        "/l", [&] { return own; }, czxid);
    CHECK(text_of(holder.question()) == "exists /l%yield");
    holder.on_answer(replies::node(7, other_session, data));
    CHECK(holder.awaits() != holder.over());
    return holder.over();
}

} // namespace

TEST_CASE("a request to yield names the first ticket, and ends when that is gone") {
    asker f;
    f.has_asked();
    yield_wait holder(
        "/l", [] { return name_of_first; }, 100);
    holder.on_answer(replies::no_node());
    CHECK(holder.awaits());
    holder.on_answer(replies::node(7, other_session, f.node));
    CHECK(holder.over());
    CHECK(holder.found().value == "deploy");
    CHECK(holder.found().host == "h");
    f.hears(replies::no_node());
    f.meets_holder(); // it was only set
    f.hears(replies::no_node());
    f.meets_next();
    f.answer(leaves, zookeeper_code::ok);
    f.ends(failure::none);
}

TEST_CASE("a request is void for every ticket but the one that it means") {
    const auto asked = asked_by_another();
    CHECK(is_asked(name_of_first, 100, asked));
    CHECK(is_asked(name_of_first, 0, asked)); // a name is used once
    CHECK_FALSE(is_asked(ticket_path(1).substr(3), 101, asked));
    CHECK_FALSE(is_asked("turn-6-lock-0000000000", 100, asked)); // of a later incarnation
    CHECK(is_asked("holder", 100, asked_by_another("holder 100")));
    CHECK_FALSE(is_asked("holder", 1000, asked_by_another("holder 100")));
    CHECK_FALSE(is_asked(name_of_first, 100, asked_by_another("")));
    CHECK_FALSE(is_asked("", 0, asked_by_another("")));
    CHECK_FALSE(is_asked(name_of_first, 100, "of another program"));
}

TEST_CASE("a void request is written over, and only the last one to write takes the node away") {
    asker f;
    f.meets_holder();
    f.answer(asks, zookeeper_code::node_exists);
    auto before = replies::node(5, other_session, asked_by_another("turn-4-lock-0000000000 90"));
    before.stat.version = 3;
    f.answer(looks, before);
    const std::string takes = "transact /l%yieldset /l%yield@3";
    SECTION("it is") {
        f.answer(takes, zookeeper_code::ok);
        CHECK(is_asked(name_of_first, 100, f.last.steps.front().data));
        CHECK(f.what.take_back());
        f.answer(waits, replies::node(100, other_session));
        f.answer("transact /l%yielddelete /l%yield@4", zookeeper_code::bad_version);
        f.ends(failure::cancelled);
    }
    SECTION("another one was faster") {
        f.answer(takes, zookeeper_code::bad_version);
        f.answer(looks, replies::node(5, other_session, asked_by_another()));
        f.answer(waits, replies::node(100, other_session));
        CHECK(f.what.awaits());
    }
    SECTION("it is gone by now") {
        f.answer(takes, zookeeper_code::no_node);
        f.answer(looks, zookeeper_code::no_node);
        CHECK(text_of(f.what.question()) == asks);
    }
    SECTION("that is not answered") {
        f.answer(takes, zookeeper_code::connection_loss);
        auto own = replies::node(5, other_session, f.last.steps.front().data);
        own.stat.version = 4;
        f.answer(looks, own);
        CHECK(f.what.take_back());
    }
    SECTION("its rights forbid it") {
        f.answer(takes, zookeeper_code::no_auth);
        f.ends(failure::create_denied);
    }
    SECTION("nobody asks any more") {
        CHECK(f.what.take_back());
        f.answer(takes, zookeeper_code::ok);
        f.answer("transact /l%yielddelete /l%yield@4", zookeeper_code::ok);
        f.ends(failure::cancelled);
    }
}

TEST_CASE("a request that may not be deleted is made void when it is taken back") {
    asker f;
    f.has_asked();
    CHECK(f.what.take_back());
    f.answer(leaves, zookeeper_code::no_auth);
    f.answer("transact /l%yieldset /l%yield@0", zookeeper_code::ok);
    CHECK_FALSE(is_asked(name_of_first, 100, f.last.steps.front().data));
    f.ends(failure::cancelled);
}

TEST_CASE("where nobody stands in line nobody is asked") {
    asker f;
    SECTION("no path") { f.answer(lists, zookeeper_code::no_node); }
    SECTION("no ticket") { f.answer(lists, replies::listing({"notes"})); }
    SECTION("a node that goes with no session") {
        const auto stray = replies::listing({name_of_first});
        f.answer(lists, stray);
        f.answer(reads, replies::node(100, 0));
        f.answer(lists, stray);
    }
    CHECK_FALSE(f.last.watch);
    f.ends(failure::not_held);
}

TEST_CASE("a holder that goes before it is read is passed over") {
    asker f;
    f.answer(lists, replies::listing({name_of_first}));
    f.answer(reads, zookeeper_code::no_node);
    f.meets_holder();
    CHECK(text_of(f.what.question()) == asks);
}

TEST_CASE("a holder that was listed before the connection was lost is not asked by its name") {
    asker f;
    f.answer(lists, replies::listing({name_of_first}));
    CHECK(f.what.starts_over());
    f.meets_holder();
    CHECK_FALSE(f.what.starts_over()); // the request names the ticket that was read
    CHECK(text_of(f.what.question()) == asks);
}

TEST_CASE("a path that goes with the one above it before the node is made is listed again") {
    asker f;
    f.meets_holder();
    SECTION("nobody stands there") {
        f.answer(asks, zookeeper_code::no_node);
        f.answer(reads, zookeeper_code::no_node);
        f.answer(lists, zookeeper_code::no_node);
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
    const auto then = GENERATE(0, 1, 2);
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
    const auto mine = f.made;
    f.answer(leaves, zookeeper_code::connection_loss);
    if (then == 0) { // it was not carried out: and again
        f.answer(looks, replies::node(5, our_session, mine));
        f.answer(leaves, zookeeper_code::no_node);
    } else if (then == 1) {
        f.answer(looks, zookeeper_code::no_node);
    } else { // another session's is there by now, and is left
        f.answer(looks, replies::node(6, other_session, "another"));
    }
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
    f.answer(lists, replies::listing({name_of_first}));
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

TEST_CASE("a waiter asks each that comes to be first before it, and never itself") {
    const std::string own = ticket_path(2).substr(3);
    asker f(7, [&](const std::string& name, const reply&) { return name == own; });
    const auto line = [](std::initializer_list<int> sequences) {
        std::vector<std::string> names;
        for (const auto each : sequences)
            names.push_back(ticket_path(each).substr(3));
        return replies::listing(std::move(names));
    };
    f.answer(lists, line({2, 1, 0}));
    f.answer(waits, replies::node(100, other_session));
    f.answer(asks, zookeeper_code::ok);
    CHECK(is_asked(name_of_first, 100, f.last.steps.front().data));
    f.answer(waits, replies::node(100, other_session));
    REQUIRE(f.what.awaits());
    f.hears(replies::no_node());
    f.answer(lists, line({2, 1}));
    f.answer("watch " + ticket_path(1), replies::node(101, other_session));
    f.answer(leaves, zookeeper_code::ok);
    f.answer("watch " + ticket_path(1), replies::node(101, other_session));
    f.answer(asks, zookeeper_code::ok);
    CHECK(is_asked(ticket_path(1).substr(3), 101, f.last.steps.front().data));
    f.answer("watch " + ticket_path(1), replies::node(101, other_session));
    f.hears(replies::no_node());
    f.answer(lists, line({2}));
    f.answer("watch " + ticket_path(2), replies::node(102, our_session));
    f.answer(leaves, zookeeper_code::ok);
    f.answer("watch " + ticket_path(2), replies::node(102, our_session));
    REQUIRE(f.what.awaits()); // it has nobody to ask
    SECTION("it has the lock") { CHECK_FALSE(f.what.take_back()); }
    SECTION("its ticket goes, with its session: it may line up behind others") {
        f.hears(replies::no_node());
        f.answer(lists, line({3}));
        f.answer("watch " + ticket_path(3), replies::node(103, other_session));
        CHECK(text_of(f.what.question()) == asks);
        CHECK(f.what.take_back());
    }
    SECTION("it sees nobody") {
        f.hears(replies::no_node());
        f.answer(lists, line({}));
        f.answer(lists, line({}));
        CHECK(f.what.awaits());
        CHECK_FALSE(f.what.take_back());
    }
}
