// SPDX-License-Identifier: BSL-1.0
// Which rights a session has at a node, without a change to it.
#include "protocol/inspect/access_probe.hpp"
#include "support/names.hpp"
#include "support/replies.hpp"

#include "support/pch.hpp"

using namespace turnstile::protocol;
using namespace turnstile::test;

namespace {

using right = turnstile::path_access::right;

struct probe_run {
    explicit probe_run(std::string path, bool compares = false) : what(std::move(path), compares) {}

    void answer(const std::string& expected, const reply& with) {
        REQUIRE_FALSE(what.over());
        CHECK(text_of(what.question()) == expected);
        what.on_answer(with);
    }
    turnstile::path_access outcome() {
        REQUIRE(what.over());
        CHECK(name_of(what.why()) == "none");
        return what.take();
    }

    access_probe what;
};

// As a server refuses: what stands before is ok, and what stands behind was not looked at.
reply refused_at(std::size_t step, zookeeper_code why) {
    reply result{.code = why};
    for (std::size_t i = 0; i < 3; ++i)
        result.results.push_back({.code = i < step    ? zookeeper_code::ok
                                          : i == step ? why
                                                      : zookeeper_code::runtime_inconsistency});
    return result;
}

const std::string probes = "transact /a/lephemeral /a/l/turnstile-access-probe; delete "
                           "/a/l/turnstile-access-probe; set /a/l@2147483647";

} // namespace

TEST_CASE("the step that is refused tells the right that is missing") {
    probe_run r{"/a/l"};
    r.answer("get /a/l", replies::no_auth());
    const auto step = GENERATE(as<std::size_t>{}, 0, 1, 2);
    r.answer(probes, refused_at(step, zookeeper_code::no_auth));
    const auto found = r.outcome();
    CHECK(found.read == right::denied);
    CHECK(found.create == (step == 0 ? right::denied : right::allowed));
    CHECK(found.remove == (step == 0   ? right::unknown
                           : step == 1 ? right::denied
                                       : right::allowed));
    CHECK(found.write == (step == 2 ? right::denied : right::unknown));
}

TEST_CASE("where the node is missing, the nearest one above it is asked for CREATE alone") {
    probe_run r{"/a/l"};
    r.answer("get /a/l", replies::no_node());
    r.answer("get /a", replies::no_node());
    r.answer("get /", replies::ok());
    r.answer("transact /ephemeral /turnstile-access-probe; delete /turnstile-access-probe; "
             "set /@2147483647",
             refused_at(2, zookeeper_code::no_auth));
    const auto found = r.outcome();
    CHECK(found.node == "/");
    CHECK_FALSE(found.exists);
    CHECK(found.create == right::allowed);
    for (const auto each : {found.read, found.write, found.remove})
        CHECK(each == right::unknown);
}

TEST_CASE("a lost answer is asked for again, and a node that leaves is looked for above") {
    probe_run r{"/a/l"};
    r.answer("get /a/l", replies::code(zookeeper_code::connection_loss));
    r.answer("get /a/l", replies::ok());
    r.answer(probes, replies::code(zookeeper_code::connection_loss));
    r.answer(probes, refused_at(0, zookeeper_code::no_node));
    r.answer("get /a", replies::ok());
    CHECK_FALSE(r.what.over());
}

TEST_CASE("what a server says beside rights is an error") {
    probe_run r{"/a/l"};
    SECTION("to the read") { r.answer("get /a/l", replies::code(zookeeper_code::bad_arguments)); }
    SECTION("to the transaction") {
        r.answer("get /a/l", replies::ok());
        r.answer(probes, refused_at(0, zookeeper_code::no_children_for_ephemerals));
    }
    REQUIRE(r.what.over());
    CHECK(name_of(r.what.why()) == "server_error");
}

TEST_CASE("a root that is missing is the chroot") {
    probe_run r{"/a"};
    r.answer("get /a", replies::no_node());
    r.answer("get /", replies::no_node());
    REQUIRE(r.what.over());
    CHECK(name_of(r.what.why()) == "no_chroot");
}

TEST_CASE("a session that limits rights is told that others have more at a node that is there") {
    const bool more = GENERATE(true, false);
    probe_run r{"/a/l", true};
    r.answer("get /a/l", replies::ok());
    r.answer("acl /a/l", {.gives_more = more});
    r.answer(probes, refused_at(2, zookeeper_code::bad_version));
    CHECK(r.outcome().gives_more == more);
}
