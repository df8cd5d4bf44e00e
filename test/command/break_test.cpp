// SPDX-License-Identifier: BSL-1.0
// `turnstile break` deletes another's ticket, after a question. Its exit codes here: 120 for a bad
// usage, 122 if nothing was deleted, 124 for a right that is missing. A holder that has lost its
// lock ends with 123.
#include "command/support/lock_path.hpp"
#include "command/support/terminal.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <nlohmann/json.hpp>

using namespace turnstile::test;
using nlohmann::json;

namespace {

const std::vector<std::string> nightly{"--timeout", "4s", "--label", "nightly"};

} // namespace

TEST_CASE("the holder loses the lock once somebody agrees") {
    const auto path = fresh_path("break");
    lock_holder one{path, nightly};
    terminal screen{150};
    tool breaks{{"break", path}, {.input = screen.inside()}};
    await([&] { return breaks.said().ends_with("? [y/N] "); });
    CHECK(breaks.says("\"nightly\") holds " + path));
    CHECK(breaks.says(path + ". Its ticket is "));
    CHECK(breaks.says(" s old.\n"));
    CHECK(breaks.says("Delete its ticket " + tickets(path).at(0)));
    CHECK(breaks.output().empty());
    screen.type("Yes\n");
    CHECK(breaks.exit_code() == 0);
    CHECK(breaks.output().starts_with(path + ": the ticket "));
    CHECK(breaks.output().ends_with(" is gone\n"));
    CHECK(one.exit_code() == 123);
    CHECK(one.says("is lost"));
    CHECK(tickets(path).empty());
}

TEST_CASE("nothing is deleted unless somebody agrees") {
    const auto path = fresh_path("break");
    lock_holder one{path, nightly};
    terminal screen{150};
    tool breaks{{"break", path}, {.input = screen.inside()}};
    await([&] { return breaks.said().ends_with("[y/N] "); });
    screen.type("\n");
    CHECK(breaks.exit_code() == 122);
    tool alone{{"break", path}};
    CHECK(alone.exit_code() == 120);
    CHECK(alone.says("--yes"));
    CHECK(tickets(path).size() == 1);
    one.end();
}

TEST_CASE("a holder that came after the question keeps the lock") {
    const auto path = fresh_path("break");
    lock_holder one{path, nightly};
    tool two{run_script(path, "echo pid $$; exec sleep 1000")};
    await([&] { return tickets(path).size() == 2; });
    terminal screen{150};
    tool breaks{{"break", path}, {.input = screen.inside()}};
    await([&] { return breaks.said().ends_with("? [y/N] "); });
    one.process().signal(SIGTERM);
    (void)two.number_after("pid "); // `two` holds the lock by now
    screen.type("y\n");
    CHECK(breaks.exit_code() == 0);
    CHECK(tickets(path).size() == 1);
    two.end();
}

TEST_CASE("where several hold, the ticket must be named") {
    const auto path = fresh_path("break");
    lock_holder one{path, {"--shared", "--timeout", "4s"}};
    lock_holder two{path, {"--shared", "--timeout", "4s"}};
    tool which{{"break", "--yes", path}};
    CHECK(which.exit_code() == 120);
    CHECK(which.says("2 hold " + path));
    const auto first = tickets(path).at(0);
    tool breaks{{"break", "--yes", "--json", "--ticket", first, path}};
    CHECK(breaks.exit_code() == 0);
    CHECK(json::parse(breaks.output()) == json{{"path", path}, {"ticket", first}, {"gone", true}});
    CHECK(one.exit_code() == 123);
    CHECK(tickets(path).size() == 1);
    two.end();
}

TEST_CASE("a permit of a semaphore is deleted by its name") {
    const auto path = fresh_path("break");
    CHECK(tool{{"limit", path, "2"}}.exit_code() == 0);
    lock_holder one{path, {"--permits", "2", "--timeout", "4s"}};
    tool show{{"show", "--json", path}};
    CHECK(show.exit_code() == 0);
    const std::string permit = json::parse(show.output())["line"][1]["ticket"];
    CHECK(tool{{"break", "--yes", "--ticket", permit, path}}.exit_code() == 0);
    CHECK(one.exit_code() == 123);
}

TEST_CASE("a ticket of another library is named once where it has gone") {
    const auto path = fresh_path("break");
    foreign_client kazoo{shared_server().address()};
    make_lock_path(kazoo, path);
    REQUIRE(kazoo.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    tool breaks{{"break", "--yes", path}};
    CHECK(breaks.exit_code() == 0);
    CHECK(breaks.output() == path + ": the ticket f00d__lock__0000000000 of Kazoo is gone\n");
}

TEST_CASE("a ticket that may not be read is named") {
    const auto path = fresh_path("break");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    std::string ticket;
    REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential, &ticket) ==
            0);
    REQUIRE(other.set_acl(ticket, {{"world", "anyone", 31 & ~1}}) == 0); // all rights but READ
    tool breaks{{"break", "--yes", path}};
    CHECK(breaks.exit_code() == 124);
    CHECK(breaks.says("denies the right READ at " + ticket + '\n'));
}

TEST_CASE("a lock that nobody holds, and a ticket that is not there, are told") {
    const auto path = fresh_path("break");
    tool free{{"break", "--yes", path}};
    CHECK(free.exit_code() == 122);
    CHECK(free.says("nobody holds " + path));
    tool gone{{"break", "--yes", "--ticket", "x", path}};
    CHECK(gone.exit_code() == 122);
    CHECK(gone.says("'x'"));
}
