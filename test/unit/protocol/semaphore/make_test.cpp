// SPDX-License-Identifier: BSL-1.0
// A semaphore is made where its limit is set: each question, and every answer.
#include "unit/protocol/semaphore/change_fixture.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string makes =
    "transact /scheck /s@2; create /s/limit; create /s/queue; create /s/leases";

} // namespace

TEST_CASE("a semaphore that is missing is made with the limit") {
    auto r = setting(9);
    r.answer(asks, zookeeper_code::no_node);
    r.path_made();
    SECTION("on an empty path") {
        r.answer(lists, below_path({}));
        r.answer(makes, zookeeper_code::ok);
        CHECK(r.last.steps[1].data == limit_text(9));
        CHECK(r.outcome() == "none");
    }
    SECTION("of this session's identity alone, which a check shows to be known") {
        r.what.makes_owned();
        r.answer(lists, below_path({}));
        r.answer(makes + "; check /s/leases", denied(4, 5));
        CHECK(r.outcome() == "owner_unknown");
    }
    SECTION("or set, where another session makes it") {
        const auto meanwhile = GENERATE(zookeeper_code::node_exists, zookeeper_code::bad_version,
                                        zookeeper_code::no_node);
        r.answer(lists, below_path({}));
        r.answer(makes, meanwhile);
        r.answer(asks, limit_is(3, 0));
        r.answer(sets(0), zookeeper_code::ok);
        CHECK(r.outcome() == "none");
    }
    SECTION("and read again, where another session has made it before") {
        r.answer(lists, below_path({"leases", "limit", "queue"}));
        CHECK(r.asked() == asks);
    }
    SECTION("and looked for again, where the path is gone") {
        r.answer(lists, zookeeper_code::no_node);
        CHECK(r.asked() == asks);
    }
}

TEST_CASE("a semaphore whose making was not answered is made once") {
    auto r = setting(9);
    r.answer(asks, zookeeper_code::no_node);
    r.path_made();
    r.answer(lists, below_path({}));
    r.answer(makes, zookeeper_code::connection_loss);
    SECTION("it was made") {
        r.answer(asks, limit_is(9, 0));
        CHECK(r.outcome() == "none");
    }
    SECTION("it was made, or another one was, and another limit was set") {
        r.answer(asks, limit_is(3, 1));
        CHECK(r.outcome() == "none");
    }
    SECTION("another one was made") {
        r.answer(asks, limit_is(3, 0));
        r.answer(sets(0), zookeeper_code::ok);
        CHECK(r.outcome() == "none");
    }
    SECTION("nothing was made there since") {
        r.answer(asks, zookeeper_code::no_node);
        r.path_made();
        r.answer(lists, below_path({}));
        r.answer(makes, zookeeper_code::ok);
        CHECK(r.outcome() == "none");
    }
    SECTION("something was made and removed since: it may have been this one") {
        r.answer(asks, zookeeper_code::no_node);
        r.path_made();
        auto path = below_path({});
        path.stat.child_version = 6;
        r.answer(lists, path);
        CHECK(r.outcome() == "path_unstable");
    }
}

TEST_CASE("a semaphore that cannot be made is refused by its reason") {
    auto r = setting(9);
    r.answer(asks, zookeeper_code::no_node);
    SECTION("the path cannot") {
        r.what.on_path(failure::create_denied, zookeeper_code::no_auth);
        CHECK(r.outcome() == "create_denied");
        CHECK(r.what.code() == zookeeper_code::no_auth);
    }
    SECTION("another lock is there") {
        r.path_made();
        const auto other = GENERATE(as<std::string>{}, "turn-5-lock-0000000001", "holder");
        r.answer(lists, below_path({other}));
        CHECK(r.outcome() == "wrong_kind");
    }
    SECTION("another path is below") {
        r.path_made();
        r.answer(lists, below_path({"orders"}));
        CHECK(r.outcome() == "nested_path");
    }
    SECTION("READ is denied") {
        r.path_made();
        r.answer(lists, zookeeper_code::no_auth);
        CHECK(r.outcome() == "read_denied");
    }
    SECTION("CREATE is denied") {
        r.path_made();
        r.answer(lists, below_path({}));
        r.answer(makes, denied(1, 4));
        CHECK(r.outcome() == "create_denied");
    }
    SECTION("a part of one is there") {
        r.path_made();
        r.answer(lists, below_path({"leases", "queue"}));
        CHECK(r.outcome() == "wrong_kind");
    }
    SECTION("the server says something else") {
        r.path_made();
        r.answer(lists, below_path({}));
        r.answer(makes, zookeeper_code::invalid_acl);
        CHECK(r.outcome() == "server_error");
    }
}
