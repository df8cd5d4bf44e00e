// SPDX-License-Identifier: BSL-1.0
// Which locks there are at and below a path.
#include "command/support/lock_path.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <map>

using namespace turnstile::test;
using nlohmann::json;

namespace {

json listed(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"ls", "--json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    tool list{all};
    CHECK(list.exit_code() == 0);
    CHECK(list.said().empty());
    return json::parse(list.output());
}

std::string tool_output(const std::vector<std::string>& arguments) {
    tool one{arguments};
    CHECK(one.exit_code() == 0);
    return one.output();
}

/// A node for the locks of one test, which others do not see.
struct lock_tree {
    explicit lock_tree(const std::string& name) : path(fresh_path(name)) {
        make_lock_path(other, path);
    }
    void add(const std::string& node) { REQUIRE(other.create(path + node) == 0); }
    void add_ticket(const std::string& node) {
        REQUIRE(other.create(path + node, "10.0.0.7", create_mode::ephemeral_sequential) == 0);
    }

    foreign_client other{shared_server().address()};
    std::string path;
};

} // namespace

TEST_CASE("locks of every kind are listed with holders, waiters and age, and nothing else") {
    lock_tree tree{"list"};
    const auto at = [&](const std::string& name) { return tree.path + name; };
    tree.add("/empty");
    tree.add("/team");
    tree.add("/team/data"); // no lock
    CHECK(tool{{"limit", at("/pool"), "3"}}.exit_code() == 0);
    const std::string script = "echo pid $$; exec sleep 1000";
    tool alone{run_script(at("/team/deploy"), script, {"--label", "nightly"})};
    tool reader{run_script(at("/read"), script, {"--shared"})};
    tool permits{run_script(at("/pool"), script, {"--permits", "2"})};
    for (auto* each : {&alone, &reader, &permits})
        (void)each->number_after("pid ");
    tool waiter{run_script(at("/team/deploy"), "true")};
    await([&] { return tickets(at("/team/deploy")).size() == 2; });
    tree.add("/kazoo");
    tree.add_ticket("/kazoo/f00d__lock__");
    tree.add("/curator");
    tree.add_ticket("/curator/_c_2d1b6ee8-1f0c-4a52-9d3f-0a6f3ee0c1a2-lock-");
    tree.add_ticket("/curator/_c_2d1b6ee8-1f0c-4a52-9d3f-0a6f3ee0c1a3-lock-");

    const auto found = listed({tree.path});
    CHECK(found["path"] == tree.path);
    CHECK(found["whole"] == true);
    CHECK(found["denied"].empty());
    std::map<std::string, json> locks;
    for (const auto& each : found["locks"])
        locks[each["path"].get<std::string>().substr(tree.path.size())] = each;
    REQUIRE(locks.size() == 5);
    const auto check = [&](const std::string& name, const std::string& kind, int holders,
                           int waiters, const std::string& library) {
        CAPTURE(name);
        CHECK(locks[name]["kind"] == kind);
        CHECK(locks[name]["holders"] == holders);
        CHECK(locks[name]["waiters"] == waiters);
        CHECK(locks[name]["libraries"] == json{library});
        CHECK(locks[name]["holder"]["age_ms"].is_number());
    };
    check("/team/deploy", "exclusive", 1, 1, "Turnstile");
    check("/read", "shared", 1, 0, "Turnstile");
    check("/pool", "semaphore", 2, 0, "Turnstile");
    check("/kazoo", "exclusive", 1, 0, "Kazoo");
    check("/curator", "exclusive", 1, 1, "Curator");
    CHECK(locks["/pool"]["limit"] == 3);
    CHECK(locks["/team/deploy"]["holder"]["label"] == "nightly");

    tool table{{"ls", tree.path}};
    CHECK(table.exit_code() == 0);
    CHECK(table.output().starts_with("  LOCK "));
    CHECK(table.output().find("  KIND       HOLDERS  WAITERS  HOLDER ") != std::string::npos);
    CHECK(table.output().find("  IN LINE FOR  LIBRARY\n") != std::string::npos);
    CHECK(table.output().find("semaphore  2 of 3") != std::string::npos);
    CHECK(table.output().find(", \"nightly\")") != std::string::npos);
    CHECK(listed({at("/team/deploy")})["locks"].size() == 1);
    CHECK(listed({"/"})["locks"].size() >= 5);
    alone.process().signal(SIGTERM);
    CHECK(waiter.exit_code() == 0);
}

TEST_CASE("where there are no locks this is said") {
    lock_tree tree{"list"};
    tool none{{"ls", tree.path}};
    CHECK(none.exit_code() == 0);
    CHECK(none.output() == "no locks in use at or below " + tree.path + '\n');
    CHECK(listed({tree.path + "/nowhere"})["locks"].empty());
}

TEST_CASE("where not all nodes were looked at, no locks are not told as none") {
    lock_tree tree{"list"};
    tree.add("/secret");
    REQUIRE(tree.other.set_acl(tree.path + "/secret", {{"world", "anyone", 31 & ~1}}) == 0);
    const auto said = "no locks in use among the nodes that were looked at below " + tree.path;
    CHECK(tool_output({"ls", tree.path}) == said + '\n');
    lock_tree large{"list"};
    for (const auto* each : {"/a", "/b", "/c"})
        large.add(each);
    CHECK(tool_output({"ls", "--most", "2", large.path}).starts_with("no locks in use among"));
}

TEST_CASE("two hyphens end the options, and the path after them counts") {
    lock_tree tree{"list"};
    tree.add("/a");
    tree.add_ticket("/a/f00d__lock__");
    CHECK(tool_output({"ls", "--", tree.path + "/none"}).starts_with("no locks in use at or "));
    CHECK(tool_output({"show", "--", tree.path + "/a"}).starts_with(tree.path + "/a: held by 1"));
    const auto pool = tree.path + "/pool";
    CHECK(tool_output({"limit", "--", pool, "3"}) == pool + ": at most 3 at a time\n");
    CHECK(tool_output({"limit", pool, "--", "4"}) == pool + ": at most 4 at a time\n");
}

TEST_CASE("what may not be read is said, and the rest is listed") {
    lock_tree tree{"list"};
    tree.add("/secret");
    REQUIRE(tree.other.set_acl(tree.path + "/secret", {{"world", "anyone", 31 & ~1}}) == 0);
    tree.add("/open");
    tree.add_ticket("/open/f00d__lock__");
    for (const auto* part : {"/pool", "/pool/limit", "/pool/queue", "/pool/leases"})
        tree.add(part);
    REQUIRE(tree.other.set_acl(tree.path + "/pool/leases", {{"world", "anyone", 31 & ~1}}) == 0);
    tool list{{"ls", tree.path}};
    CHECK(list.exit_code() == 0);
    CHECK(list.says(tree.path + "/pool: the right READ is denied"));
    CHECK(list.says(tree.path + "/secret: the right READ is denied"));
    CHECK(list.output().find(tree.path + "/open") != std::string::npos);
    tool closed{{"ls", tree.path + "/secret"}};
    CHECK(closed.exit_code() == 124);
    CHECK(closed.says("denies the right READ at " + tree.path + "/secret\n"));
    CHECK(closed.output().empty());
}

TEST_CASE("a thousand locks are listed, and no more nodes are looked at than asked for") {
    lock_tree tree{"list"};
    for (int i = 0; i < 1'000; ++i) {
        const auto name = "/" + std::to_string(i);
        tree.add(name);
        tree.add_ticket(name + "/f00d__lock__");
    }
    CHECK(listed({tree.path})["locks"].size() == 1'000);
    tool part{{"ls", "--json", "--most", "101", tree.path}};
    CHECK(part.exit_code() == 0);
    const auto found = json::parse(part.output());
    CHECK(found["whole"] == false);
    CHECK(found["locks"].size() == 100);
}
