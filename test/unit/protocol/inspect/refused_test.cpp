// SPDX-License-Identifier: BSL-1.0
// Requests of a semaphore that the server refuses: each tells its reason, or is asked again.
#include "unit/protocol/inspect/change_fixture.hpp"
#include "unit/protocol/semaphore/semaphore_fixture.hpp"

#include <algorithm>

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

struct refused_user : user_of_leases {
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
    /// The acquire has failed, so, and asks for nothing more.
    void check_failed(const std::string& why, zookeeper_code code) {
        CHECK(events() == texts{"failed 1 " + why});
        CHECK(told.last_code == code);
        CHECK(open().empty());
    }
    /// A while later it asks so again.
    void check_asks_again(const std::string& what) {
        CHECK(events().empty());
        CHECK(open().empty());
        pass(2s);
        CHECK(std::ranges::count(open(), what) == 1);
    }

    const std::string making =
        "transact /scheck /s@2; create /s/limit; create /s/queue; create /s/leases";
};

constexpr auto no_auth = zookeeper_code::no_auth;
constexpr auto busy = zookeeper_code::throttled;
constexpr auto odd = zookeeper_code::marshalling_error;

} // namespace

TEST_CASE("a limit that the server does not tell is asked again, or ends the acquire") {
    refused_user f;
    f.asks_for_limit();
    const auto answered = [&](zookeeper_code code) {
        f.reply("get /s/limit", replies::code(code));
    };
    SECTION("READ is denied") {
        answered(no_auth);
        f.check_failed("read_denied", no_auth);
    }
    SECTION("the server says something else") {
        answered(odd);
        f.check_failed("server_error", odd);
    }
    SECTION("the server has too much to do") {
        answered(busy);
        f.check_asks_again("get /s/limit");
    }
}

TEST_CASE("a try that is refused tells which right is missing") {
    refused_user f;
    f.tries();
    const auto answered = [&](const reply& answer) { f.reply(f.try_text(1), answer); };
    SECTION("READ of the limit") {
        answered(denied(0, 4));
        f.check_failed("read_denied", no_auth);
    }
    SECTION("or the server does not tell which") {
        answered(replies::no_auth());
        f.check_failed("read_denied", no_auth);
    }
    SECTION("WRITE of the queue") {
        answered(denied(1, 4));
        f.check_failed("write_denied", no_auth);
    }
    SECTION("WRITE of the leases") {
        answered(denied(2, 4));
        f.check_failed("write_denied", no_auth);
    }
    SECTION("CREATE below the leases") {
        answered(denied(3, 4));
        f.check_failed("create_denied", no_auth);
    }
    SECTION("none: the server says something else") {
        answered(replies::code(odd));
        f.check_failed("server_error", odd);
    }
    SECTION("none: the server has too much to do") {
        answered(replies::code(busy));
        f.check_asks_again(f.try_text(2));
    }
}

TEST_CASE("leases that may not be listed end the acquire that is first in line") {
    refused_user f;
    f.is_first(1);
    const auto [code, why] = GENERATE(table<zookeeper_code, std::string>(
        {{no_auth, "read_denied"}, {zookeeper_code::marshalling_error, "server_error"}}));
    f.reply("list /s/leases", replies::code(code));
    f.reply("delete " + place(4), replies::ok());
    f.check_failed(why, code);
}

TEST_CASE("leases that a busy server does not list are listed again") {
    refused_user f;
    f.is_first(1);
    f.reply("list /s/leases", replies::code(busy));
    f.check_asks_again("list /s/leases");
}

TEST_CASE("leases that may not be taken in line end the acquire, and its ticket") {
    refused_user f;
    f.is_taking();
    const auto answered = [&](const reply& answer) {
        f.reply(f.take_text(2, 4), answer);
        f.reply("delete " + place(4), replies::ok());
    };
    SECTION("READ of the limit is denied") {
        answered(denied(0, 4));
        f.check_failed("read_denied", no_auth);
    }
    SECTION("DELETE of the ticket") {
        answered(denied(2, 4));
        f.check_failed("release_denied", no_auth);
    }
    SECTION("CREATE below the leases") {
        answered(denied(3, 4));
        f.check_failed("create_denied", no_auth);
    }
    SECTION("the server says something else") {
        answered(replies::code(odd));
        f.check_failed("server_error", odd);
    }
}

TEST_CASE("a path that cannot be looked at makes no semaphore") {
    refused_user f;
    f.looks_around();
    const auto answered = [&](zookeeper_code code) { f.reply("list /s", replies::code(code)); };
    SECTION("READ is denied") {
        answered(no_auth);
        f.check_failed("read_denied", no_auth);
    }
    SECTION("the server says something else") {
        answered(odd);
        f.check_failed("server_error", odd);
    }
    SECTION("the server has too much to do") {
        answered(busy);
        f.check_asks_again("get /s/limit");
    }
    SECTION("it is gone") {
        answered(zookeeper_code::no_node);
        CHECK(f.open() == texts{"get /s/limit"});
    }
}

TEST_CASE("a semaphore that cannot be made tells its reason, or is looked for again") {
    refused_user f;
    f.makes();
    SECTION("CREATE is denied") {
        f.reply(f.making, denied(1, 4));
        f.check_failed("create_denied", no_auth);
    }
    SECTION("the server says something else") {
        f.reply(f.making, replies::code(odd));
        f.check_failed("server_error", odd);
    }
    SECTION("the server has too much to do") {
        f.reply(f.making, replies::code(busy));
        f.check_asks_again("get /s/limit");
    }
    SECTION("somebody else has made it, or the path") {
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
