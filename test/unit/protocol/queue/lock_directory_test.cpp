// SPDX-License-Identifier: BSL-1.0
// The lock path is asked for before anybody stands there.
#include "unit/protocol/machine_fixture.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

TEST_CASE("a path is made for this session alone only where the servers know its identity") {
    auto options = machine_fixture::defaults();
    options.directories = turnstile::acl::rule::creator_all;
    machine_fixture f{options};
    const auto refused_at = [](std::size_t step, zookeeper_code why) {
        reply answer{.code = why, .results = {{}, {}}};
        answer.results[step].code = why;
        if (step == 0)
            answer.results[1].code = zookeeper_code::runtime_inconsistency;
        return answer;
    };
    f.connect();
    f.acquire(1, "/a/l");
    f.reply("acl /a/l", replies::no_node());
    f.reply("get /a/l", replies::no_node());
    REQUIRE(f.open().size() == 2); // nothing is made yet
    SECTION("they do not") {
        f.reply(f.open().front(), refused_at(1, zookeeper_code::no_auth));
        f.reply(f.open().front(), refused_at(0, zookeeper_code::no_node));
        CHECK(f.events() == texts{"failed 1 owner_unknown"});
        CHECK(f.open().empty());
    }
    SECTION("they do not, and the parent is there") {
        f.reply(f.open().front(), refused_at(0, zookeeper_code::node_exists));
        f.reply(f.open().front(), refused_at(1, zookeeper_code::no_auth));
        CHECK(f.events() == texts{"failed 1 owner_unknown"});
        CHECK(f.open().empty());
    }
    SECTION("they do") {
        f.reply(f.open().front(), refused_at(1, zookeeper_code::bad_version));
        f.reply(f.open().front(), refused_at(0, zookeeper_code::no_node));
        CHECK(f.open() == texts{"container /a", "container /a/l"});
        CHECK(f.events().empty());
    }
}

TEST_CASE("a lock path at which others have more rights is told of, and used") {
    const bool more = GENERATE(true, false);
    auto options = machine_fixture::defaults();
    options.directories = turnstile::acl::rule::list;
    machine_fixture f{options};
    f.connect();
    f.acquire(1);
    f.reply("acl /l", {.gives_more = more});
    f.reply("get /l", replies::folder(5));
    f.enqueued(0, 0);
    CHECK(f.events() == texts{"granted 1 token 100"});
    CHECK(f.told.notes.size() == (more ? 1 : 0));
}
