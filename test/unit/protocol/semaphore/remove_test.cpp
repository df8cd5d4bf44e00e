// SPDX-License-Identifier: BSL-1.0
// A semaphore is removed: each question, and every answer.
#include "unit/protocol/semaphore/change_fixture.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

const std::string proves = "check /s/limit";
const std::string removes =
    "transact /sset /s@2; delete /s/leases; delete /s/limit@4; delete /s/queue";

} // namespace

TEST_CASE("a semaphore is removed in one transaction, with the versions that were read") {
    auto r = removing();
    r.answer(lists, below_path({"leases", "limit", "queue", "another"}));
    r.answer(asks, limit_is(3));
    r.answer(removes, zookeeper_code::ok);
    CHECK(r.outcome() == "none");
}

TEST_CASE("a semaphore with a ticket or a permit is not removed") {
    auto r = removing();
    r.answer(lists, below_path({"leases", "limit", "queue"}));
    r.answer(asks, limit_is(3));
    r.answer(removes, zookeeper_code::not_empty);
    CHECK(r.outcome() == "would_block");
}

TEST_CASE("a semaphore that is missing is removed already, once a transaction has shown so") {
    auto r = removing();
    SECTION("there is no path") { r.answer(lists, zookeeper_code::no_node); }
    SECTION("there is another lock") { r.answer(lists, below_path({"turn-5-lock-0000000001"})); }
    SECTION("there are another lock's nodes beside what is left of one") {
        r.answer(lists, below_path({"queue", "turn-5-lock-0000000001"}));
    }
    SECTION("there are another program's nodes") { r.answer(lists, below_path({"queue", "jobs"})); }
    SECTION("the listing was old") {
        r.answer(lists, below_path({}));
        r.answer(proves, zookeeper_code::ok);
        r.answer(lists, below_path({"leases", "limit", "queue"}));
        r.answer(asks, limit_is(3));
        r.answer(removes, zookeeper_code::connection_loss); // it was carried out
        r.answer(lists, below_path({}));
    }
    r.answer(proves, zookeeper_code::no_node);
    CHECK(r.outcome() == "none");
}

TEST_CASE("a semaphore at a node with data of its own, or what is left of one, is left there") {
    auto r = removing();
    auto below = below_path(GENERATE(std::vector<std::string>{"leases", "limit", "queue"},
                                     std::vector<std::string>{"queue"}));
    below.stat.data_bytes = 4;
    r.answer(lists, below);
    CHECK(r.outcome() == "path_has_data");
}

TEST_CASE("a semaphore that may not be removed is left by its reason") {
    auto r = removing();
    SECTION("it is not listed, or its absence not proved") {
        const bool proof = GENERATE(false, true);
        const auto [code, why] = GENERATE(table<zookeeper_code, std::string>(
            {{zookeeper_code::no_auth, "read_denied"},
             {zookeeper_code::marshalling_error, "server_error"}}));
        if (proof)
            r.answer(lists, below_path({}));
        r.answer(proof ? proves : lists, code);
        CHECK(r.outcome() == why);
    }
    SECTION("it is another program's node") {
        r.answer(lists, below_path({"limit"}));
        r.answer(asks, replies::node(7, 0, "whatever"));
        CHECK(r.outcome() == "wrong_kind");
    }
    SECTION("the deletion is refused") {
        const auto [answer, why] = GENERATE(table<reply, std::string>(
            {{denied(0, 4), "write_denied"},
             {replies::no_auth(), "write_denied"}, // the server does not say which right
             {denied(1, 4), "release_denied"},
             {replies::code(zookeeper_code::bad_arguments), "server_error"}}));
        r.answer(lists, below_path({"leases", "limit", "queue"}));
        r.answer(asks, limit_is(3));
        r.answer(removes, answer);
        CHECK(r.outcome() == why);
    }
}

TEST_CASE("a removal whose answer was lost removes no later semaphore") {
    auto r = removing();
    const std::vector<std::string> parts{"leases", "limit", "queue"};
    r.answer(lists, below_path(parts));
    r.answer(asks, limit_is(3));
    r.answer(removes, zookeeper_code::connection_loss);
    r.answer(lists, below_path(parts));
    SECTION("it is another one") {
        auto another = limit_is(3);
        another.stat.czxid = 70;
        r.answer(asks, another);
    }
    SECTION("it is the same one, with another limit") {
        r.answer(asks, limit_is(9));
        r.answer(removes, zookeeper_code::ok);
    }
    CHECK(r.outcome() == "none");
}
