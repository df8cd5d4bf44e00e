// SPDX-License-Identifier: BSL-1.0
// The first ticket of a line is followed: question by question, each must be the one expected.
#include "protocol/election/first_ticket.hpp"

#include "support/names.hpp"
#include "support/replies.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string first = "turn-5-lock-0000000003";
const std::string second = "turn-5-lock-0000000004";
const std::string stray = "lock-0000000001";

struct follower {
    /// Nothing: another question is to be asked. 0: nobody leads.
    std::optional<std::int64_t> answer(const std::string& expected, const reply& with) {
        REQUIRE(text_of(what.question()) == expected);
        return hears(with);
    }
    /// An event, a reconnect, or time: the last question is answered once more.
    std::optional<std::int64_t> hears(const reply& with) {
        if (!what.on_answer(with))
            return std::nullopt;
        CHECK(what.question().watch);
        return what.found().stat.czxid;
    }
    void listed(std::vector<std::string> children) {
        CHECK_FALSE(what.question().watch);
        CHECK_FALSE(answer("list /l", replies::listing(std::move(children))));
    }
    void finds(const std::string& node, std::int64_t czxid) {
        CHECK(answer("watch /l/" + node, replies::node(czxid, other_session)) == czxid);
    }
    void meets_stray() { CHECK_FALSE(answer("watch /l/" + stray, replies::node(90, 0))); }
    /// It knows that there is nobody.
    void finds_none(std::vector<std::string> children = {"notes"}) {
        listed(children);
        REQUIRE(what.question().watch);
        CHECK(answer("list /l", replies::listing(std::move(children))) == 0);
    }

    first_ticket what{"/l", true};
};

} // namespace

TEST_CASE("a change of leader costs two requests") {
    follower f;
    f.listed({second, first});
    f.finds(first, 103);
    CHECK_FALSE(f.hears(replies::no_node())); // which the event says
    f.listed({second});
    f.finds(second, 104);
}

TEST_CASE("a leader with other data is told again") {
    follower f;
    f.listed({first});
    f.finds(first, 103);
    CHECK(f.hears(replies::node(103, other_session, "value=x")) == 103);
    CHECK(f.what.found().data == "value=x");
}

TEST_CASE("another ticket of the leader's name need not lead") {
    follower f;
    f.listed({first});
    f.finds(first, 103);
    CHECK_FALSE(f.hears(replies::node(203, other_session)));
    f.listed({second, first});
    f.finds(first, 203);
}

TEST_CASE("a leader that goes before it is read is passed over") {
    follower f;
    f.listed({first, second});
    CHECK_FALSE(f.answer("watch /l/" + first, replies::no_node()));
    f.listed({second});
    f.finds(second, 104);
}

TEST_CASE("tickets of others lead as well, in the order of their numbers") {
    follower f;
    SECTION("another recipe's") {
        f.listed({first, "notes", "_c_1-lock-0000000002"});
        f.finds("_c_1-lock-0000000002", 102);
    }
    SECTION("the only one of a lock without a line") {
        f.listed({"holder"});
        f.finds("holder", 102);
    }
}

TEST_CASE("where nobody stands in line its path is watched") {
    follower f;
    f.finds_none();
    SECTION("something else comes") { CHECK(f.hears(replies::listing({"notes", "more"})) == 0); }
    SECTION("somebody comes") {
        CHECK_FALSE(f.hears(replies::listing({"notes", first})));
        f.finds(first, 103);
    }
    SECTION("the path goes, and is made anew") {
        CHECK_FALSE(f.hears(replies::no_node()));
        CHECK(f.answer("exists /l", replies::no_node()) == 0);
        CHECK_FALSE(f.hears(replies::folder(5)));
        f.listed({first});
        f.finds(first, 203);
    }
}

TEST_CASE("a path that is made between two questions is listed") {
    follower f;
    CHECK_FALSE(f.answer("list /l", replies::no_node()));
    CHECK_FALSE(f.answer("exists /l", replies::folder(5)));
    f.listed({first});
    f.finds(first, 103);
}

TEST_CASE("a node that goes with no session does not lead") {
    follower f;
    f.listed({stray, first});
    f.meets_stray();
    f.listed({stray, first});
    f.finds(first, 103);
    CHECK_FALSE(f.hears(replies::no_node()));
    f.listed({stray});
    SECTION("it stands alone") {
        f.meets_stray();
        f.finds_none({stray});
        CHECK_FALSE(f.hears(replies::listing({stray, second})));
        f.meets_stray(); // it may be another node by now
        f.listed({stray, second});
        f.finds(second, 104);
    }
    SECTION("its name is another node's by now") { f.finds(stray, 105); }
}

TEST_CASE("who asks once who leads leaves no watch behind") {
    first_ticket what{"/l", false};
    std::string asked;
    const auto answer = [&](const reply& with) {
        CHECK_FALSE(what.question().watch);
        asked += text_of(what.question()) + "; ";
        return what.on_answer(with);
    };
    SECTION("of a line") {
        CHECK_FALSE(answer(replies::listing({second, first})));
        CHECK(answer(replies::node(103, other_session)));
        CHECK(what.found().stat.czxid == 103);
        CHECK(asked == "list /l; get /l/" + first + "; ");
    }
    SECTION("of one whose first has just left") {
        CHECK_FALSE(answer(replies::listing({second, first})));
        CHECK_FALSE(answer(replies::no_node()));
        CHECK_FALSE(answer(replies::listing({second})));
        CHECK(answer(replies::node(104, other_session)));
    }
    SECTION("of an empty line") { CHECK(answer(replies::listing({"notes"}))); }
    SECTION("of no path") { CHECK(answer(replies::no_node())); }
}
