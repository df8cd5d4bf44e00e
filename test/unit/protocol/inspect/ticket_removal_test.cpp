// SPDX-License-Identifier: BSL-1.0
// Another session's ticket is deleted, if it is still the one that is meant.
#include "protocol/inspect/ticket_removal.hpp"
#include "support/names.hpp"
#include "support/replies.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

struct removal_run {
    explicit removal_run(std::string node)
        : what("/l", {.node = std::move(node),
                      .session_id = other_session,
                      .created = std::chrono::system_clock::time_point{77ms}}) {}

    void answer(const std::string& expected, const reply& with) {
        REQUIRE_FALSE(what.over());
        CHECK(text_of(what.question()) == expected);
        what.on_answer(with);
    }
    std::string outcome() const {
        REQUIRE(what.over());
        return name_of(what.why());
    }

    ticket_removal what;
};

reply ticket_of(std::int64_t session, std::int64_t ctime) {
    return {.stat = {.czxid = 9, .ctime = ctime, .ephemeral_owner = session}};
}
reply path_at(std::int32_t version) { return {.stat = {.czxid = 5, .version = version}}; }

const std::string reads = "get /l/turn-5-lock-0000000003";
const std::string deletes_ticket = "delete /l/turn-5-lock-0000000003";

} // namespace

TEST_CASE("a ticket is read, and then deleted") {
    removal_run r{"turn-5-lock-0000000003"};
    r.answer(reads, ticket_of(other_session, 77));
    r.answer(deletes_ticket, replies::ok());
    CHECK(r.outcome() == "none");
}

TEST_CASE("a ticket that has left needs no deletion") {
    removal_run r{"turn-5-lock-0000000003"};
    if (GENERATE(false, true))
        r.answer(reads, ticket_of(other_session, 77));
    r.answer(r.what.question().op == operation::get ? reads : deletes_ticket, replies::no_node());
    CHECK(r.outcome() == "none");
}

TEST_CASE("the node of a lock of one node is deleted only for the holder that is meant") {
    removal_run r{"holder"};
    r.answer("get /l", path_at(4));
    r.answer("get /l/holder", ticket_of(other_session, 77));
    const std::string once = "transact /lcheck /l@4; delete /l/holder";
    SECTION("it still holds") { r.answer(once, replies::ok()); }
    SECTION("another has it since") {
        r.answer(once, replies::code(zookeeper_code::bad_version));
        r.answer("get /l", path_at(5));
        r.answer("get /l/holder", ticket_of(our_session, 99));
    }
    CHECK(r.outcome() == "none");
}

TEST_CASE("a right that is missing is told") {
    removal_run r{"turn-5-lock-0000000003"};
    SECTION("to read the ticket") {
        r.answer(reads, replies::no_auth());
        CHECK(r.outcome() == "read_denied");
    }
    SECTION("to delete it") {
        r.answer(reads, ticket_of(other_session, 77));
        r.answer(deletes_ticket, replies::no_auth());
        CHECK(r.outcome() == "release_denied");
    }
    CHECK(r.what.code() == zookeeper_code::no_auth);
}
