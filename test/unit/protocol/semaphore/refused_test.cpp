// SPDX-License-Identifier: BSL-1.0
// Requests of a semaphore that the server refuses: each shows its reason, or is asked again.
#include "unit/protocol/semaphore/change_fixture.hpp"
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

/// An answer, and how the acquire fails by it; it does not fail if the server has too much to do.
struct refusal {
    reply answer;
    std::string why;
};

const refusal no_right{replies::no_auth(), "read_denied"};
const refusal odd{replies::code(zookeeper_code::marshalling_error), "server_error"};
const refusal busy{replies::code(zookeeper_code::throttled), {}};

struct refused_user : user_of_permits {
    void asks_for_limit(std::optional<std::uint32_t> limit = {}) {
        connect();
        take(1, 1, true, limit);
    }
    void tries() {
        asks_for_limit();
        told_limit(3);
    }
    /// No semaphore is there, and it looks for what is.
    void looks_around() {
        asks_for_limit(3);
        reply("get /s/limit", replies::no_node());
        reply("get /s", replies::folder(5));
        REQUIRE(open() == texts{"list /s"});
    }
    void makes() {
        looks_around();
        reply("list /s", {.stat = {.czxid = 5, .version = 2}});
        REQUIRE(open() == texts{making});
    }
    /// The acquire has failed so and asks for nothing more, or a while later it asks `again`.
    void check(const refusal& by, const std::string& again) {
        if (by.why.empty()) {
            CHECK(events().empty());
            CHECK(open().empty());
            pass(2s);
            CHECK(std::ranges::count(open(), again) == 1);
        } else {
            CHECK(events() == texts{"failed 1 " + by.why});
            CHECK(told.last_code == by.answer.code);
            CHECK(open().empty());
        }
    }

    const std::string making =
        "transact /scheck /s@2; create /s/limit; create /s/queue; create /s/leases";
};

} // namespace

TEST_CASE("a limit that the server does not tell is asked again, or ends the acquire") {
    refused_user f;
    f.asks_for_limit();
    const auto by = GENERATE(values({no_right, odd, busy}));
    f.reply("get /s/limit", by.answer);
    f.check(by, "get /s/limit");
}

TEST_CASE("a try that is refused tells which right is missing") {
    refused_user f;
    f.tries();
    const auto by = GENERATE(values<refusal>({{denied(0, 4), "read_denied"}, // of the limit
                                              no_right, // the server does not say which
                                              {denied(1, 4), "write_denied"}, // of the queue
                                              {denied(2, 4), "write_denied"}, // of the permits
                                              {denied(3, 4), "create_denied"},
                                              odd,
                                              busy}));
    f.reply(f.try_text(1), by.answer);
    f.check(by, f.try_text(2));
}

TEST_CASE("permits that may not be listed end the acquire that is first in line") {
    refused_user f;
    f.is_first(1);
    const auto by = GENERATE(values({no_right, odd, busy}));
    f.reply("list /s/leases", by.answer);
    if (!by.why.empty())
        f.reply("delete " + place(4), replies::ok());
    f.check(by, "list /s/leases");
}

TEST_CASE("permits that may not be taken in line end the acquire, and its ticket") {
    refused_user f;
    f.is_taking();
    const auto by = GENERATE(values<refusal>({{denied(0, 4), "read_denied"}, // of the limit
                                              {denied(2, 4), "release_denied"},
                                              {denied(3, 4), "create_denied"},
                                              odd}));
    f.reply(f.take_text(2, 4), by.answer);
    f.reply("delete " + place(4), replies::ok());
    f.check(by, {});
}

TEST_CASE("a path that cannot be looked at makes no semaphore") {
    refused_user f;
    f.looks_around();
    SECTION("it is refused") {
        const auto by = GENERATE(values({no_right, odd, busy}));
        f.reply("list /s", by.answer);
        f.check(by, "get /s/limit");
    }
    SECTION("it is gone") {
        f.reply("list /s", replies::no_node());
        CHECK(f.open() == texts{"get /s/limit"});
    }
}

TEST_CASE("a semaphore that cannot be made tells its reason, or is looked for again") {
    refused_user f;
    f.makes();
    SECTION("it is refused") {
        const auto by = GENERATE(values<refusal>({{denied(1, 4), "create_denied"}, odd, busy}));
        f.reply(f.making, by.answer);
        f.check(by, "get /s/limit");
    }
    SECTION("another session has made it, or the path") {
        f.reply(f.making,
                replies::code(GENERATE(zookeeper_code::node_exists, zookeeper_code::bad_version,
                                       zookeeper_code::no_node)));
        f.told_limit(3);
        CHECK(f.open() == texts{f.try_text(1)});
    }
    SECTION("its answer is lost") {
        f.cut();
        f.reconnect();
        f.reply("check /s/limit", replies::ok());
        f.told_limit(3);
        CHECK(f.open() == texts{f.try_text(1)});
    }
}
