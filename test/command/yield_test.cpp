// SPDX-License-Identifier: BSL-1.0
// A holder that is asked to let go, and what it does about it.
#include "command/support/lock_path.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <fstream>

using namespace turnstile::test;
using nlohmann::json;

namespace {

const std::string waits = "echo pid $$; while :; do sleep 0.01; done";

/// Whether a request stands.
bool is_asked(const std::string& path) {
    static foreign_client other{shared_server().address()};
    return other.exists(path + "%yield") == 0;
}

} // namespace

TEST_CASE("the option --on-yield end ends the program in order, and the next gets the lock") {
    const auto path = fresh_path("yield");
    tool one{run_script(path, "trap 'echo heard; exit 7' TERM; " + waits,
                        {"--on-yield", "end", "--label", "old", "--grace", "1ms"})};
    (void)one.number_after("pid ");
    tool next{run_script(path, "exit 5")};
    await([&] { return tickets(path).size() == 2; });
    tool asks{{"yield", "--reason", "a new\x1b version", path}};
    CHECK(asks.exit_code() == 0);
    CHECK(asks.output().starts_with(path + ": "));
    CHECK(asks.output().ends_with("\"old\") has let go\n"));
    CHECK(one.exit_code() == 7); // as its program did
    CHECK(one.output().ends_with("\nheard\n"));
    CHECK(one.says(") asks for the lock " + path + ": the program gets SIGTERM\n"));
    CHECK(one.says("(a new? version)"));
    CHECK(next.exit_code() == 5);
    CHECK_FALSE(is_asked(path));
}

TEST_CASE("a program of --on-yield end may take its time") {
    const temp_folder folder{"turnstile-yield-"};
    const auto go_on = folder.path() / "go on";
    const auto path = fresh_path("yield");
    tool one{run_script(path,
                        "trap 'echo heard; while ! test -e \"" + go_on.string() +
                            "\"; do sleep 0.01; done; exit 0' TERM; " + waits,
                        {"--on-yield", "end", "--grace", "1ms"})};
    (void)one.number_after("pid ");
    tool asks{{"yield", "--wait", "500ms", path}};
    await([&] { return one.output().find("heard") != std::string::npos; });
    CHECK(asks.exit_code() == 122);
    CHECK(one.process().running());
    std::ofstream{go_on};
    CHECK(one.exit_code() == 0);
}

TEST_CASE("a request ends the time of --at-least as well") {
    const auto path = fresh_path("yield");
    tool one{run_script(path, "echo pid $$", {"--on-yield", "end", "--at-least", "1h"})};
    const auto program = one.number_after("pid ");
    await([&] { return !is_alive(program); });
    tool asks{{"yield", path}};
    CHECK(asks.exit_code() == 0);
    CHECK(one.exit_code() == 0);
}

TEST_CASE("a line of --on-yield is run once beside the program, and can signal it") {
    const auto path = fresh_path("yield");
    tool one{run_script(
        path, "trap 'exit 9' USR1; " + waits,
        {"--on-yield", "echo \"asked for $TURNSTILE_LOCK by $TURNSTILE_FROM: $TURNSTILE_REASON\"; "
                       "test \"$TURNSTILE_REASON\" != now || kill -USR1 $TURNSTILE_PID"})};
    (void)one.number_after("pid ");
    tool asks{{"yield", "--reason", "now", "--label", "deploy", path}};
    const auto asker = std::to_string(asks.process().pid());
    CHECK(asks.exit_code() == 0);
    CHECK(one.exit_code() == 9);
    CHECK(one.output().find("asked for " + path + " by ") != std::string::npos);
    CHECK(one.output().ends_with(" (pid " + asker + ", \"deploy\"): now\n"));
}

TEST_CASE("a reason can neither steer a terminal nor be too long for a variable") {
    const auto path = fresh_path("yield");
    tool one{run_script(
        path, "trap 'exit 9' USR1; " + waits,
        {"--on-yield", "printf '%s\\n' \"$TURNSTILE_REASON\"; kill -USR1 $TURNSTILE_PID"})};
    (void)one.number_after("pid ");
    tool asks{{"yield", "--reason", "a\x1b[2Jb" + std::string(130'000, 'r'), path}};
    CHECK(asks.exit_code() == 0);
    CHECK(one.exit_code() == 9);
    const auto told = one.output().substr(one.output().find('\n') + 1);
    CHECK(told == "a?[2Jb" + std::string(4000 - 9, 'r') + "...\n");
    CHECK(one.says("(a?[2Jb" + std::string(200 - 9, 'r') + "...)\n"));
}

TEST_CASE("a line of --on-yield does not end the hold by itself, nor is it run a second time") {
    const auto path = fresh_path("yield");
    tool one{run_script(path, "trap 'exit 3' USR2; " + waits, {"--on-yield", "echo asked"})};
    (void)one.number_after("pid ");
    for (int i = 0; i < 2; ++i) {
        tool asks{{"yield", "--wait", "300ms", path}};
        CHECK(asks.exit_code() == 122);
    }
    await([&] { return one.output().ends_with("asked\n"); });
    one.process().signal(SIGUSR2);
    CHECK(one.exit_code() == 3);
    CHECK(one.output().find("asked") == one.output().rfind("asked"));
}

TEST_CASE(
    "a line of --on-yield ends before others get the lock, also where the program has ended") {
    const auto path = fresh_path("yield");
    tool one{run_script(path, "exit 3",
                        {"--timeout", "4s", "--grace", "200ms", "--at-least", "1h", "--on-yield",
                         "trap '' TERM; echo line $$; while :; do sleep 0.01; done"})};
    await([&] { return tickets(path).size() == 1; });
    tool asks{{"yield", "--wait", "1s", path}};
    CHECK(asks.exit_code() == 122);
    const auto line = one.number_after("line ");
    tool heir{run_script(path, "if kill -0 " + std::to_string(line) +
                                   "; then echo overlap; else echo alone; fi")};
    await([&] { return tickets(path).size() == 2; });
    one.process().signal(SIGTERM); // so the time of --at-least ends
    CHECK(one.exit_code() == 3);
    CHECK(heir.exit_code() == 0);
    CHECK(heir.output() == "alone\n");
}

TEST_CASE("a request that comes once the rest of a program was ended does not keep the lock") {
    const auto path = fresh_path("yield");
    tool one{run_script(path, "sleep 1000 & echo rest $!; exit 3",
                        {"--timeout", "4s", "--at-least", "1h", "--on-yield", "true"})};
    const auto rest = one.number_after("rest ");
    await([&] { return one.says("left a process behind") && !is_alive(rest); });
    tool asks{{"yield", "--wait", "1s", path}};
    CHECK(asks.exit_code() == 122);
    int looks = 0;
    await([&] { // the time of --at-least ends, which may begin after the first signal
        if (looks++ % 64 == 0) // one at the very end would end turnstile itself
            one.process().signal(SIGTERM);
        return !one.process().running();
    });
    CHECK(one.exit_code() == 3);
}

TEST_CASE("a holder that does not listen keeps the lock, and the request is taken back") {
    const auto path = fresh_path("yield");
    lock_holder holder{path, {"--label", "deaf"}};
    const bool as_json = GENERATE(false, true);
    std::vector<std::string> arguments{"yield", "--wait", "200ms", path};
    if (as_json)
        arguments.emplace_back("--json");
    tool asks{arguments};
    CHECK(asks.exit_code() == 122);
    if (as_json) {
        const auto told = json::parse(asks.output());
        CHECK(told["yielded"] == false);
        CHECK(told["holder"]["label"] == "deaf");
    } else {
        CHECK(asks.output().find(": not let go within 200ms, held by ") != std::string::npos);
        CHECK(asks.output().find("\"deaf\"") != std::string::npos);
    }
    CHECK_FALSE(is_asked(path));
    CHECK(tickets(path).size() == 1);
}

TEST_CASE("a signal ends yield, and takes the request back") {
    const auto path = fresh_path("yield");
    lock_holder holder{path};
    tool asks{{"yield", "--timeout", "40s", path}};
    await([&] { return is_asked(path); });
    asks.process().signal(SIGTERM);
    CHECK(asks.exit_code() == 128 + SIGTERM);
    CHECK_FALSE(is_asked(path));
}

TEST_CASE("where nobody holds the lock, yield ends with 1") {
    const auto path = fresh_path("yield");
    tool people{{"yield", path}};
    CHECK(people.exit_code() == 1);
    CHECK(people.output() == path + ": nobody holds it\n");
    tool programs{{"yield", "--json", path}};
    CHECK(programs.exit_code() == 1);
    CHECK(json::parse(programs.output()) ==
          json{{"path", path}, {"yielded", false}, {"holder", nullptr}});
}

TEST_CASE("those who hold permits can neither be asked nor listen") {
    const auto path = fresh_path("yield");
    tool limit{{"limit", path, "1"}};
    REQUIRE(limit.exit_code() == 0);
    lock_holder holder{path, {"--permits", "1"}};
    tool asks{{"yield", path}};
    CHECK(asks.exit_code() == 124);
    CHECK(asks.says("a semaphore is at " + path));
    tool listens{run_script(path, "true", {"--permits", "1", "--on-yield", "end"})};
    CHECK(listens.exit_code() == 120);
    CHECK(listens.says("--permits excludes --on-yield"));
}

TEST_CASE("a request that --acl protects is heard by a holder with the same identity") {
    const temp_folder folder{"turnstile-yield-"};
    const auto file = (folder.path() / "identities").string();
    std::ofstream{file} << "digest alice:secret\n";
    const std::vector<std::string> own{"--auth-file", file, "--acl", "creator_all"};
    const auto path = fresh_path("yield");
    auto options = own;
    options.insert(options.end(), {"--on-yield", "end"});
    tool one{run_script(path, "trap 'exit 7' TERM; " + waits, options)};
    (void)one.number_after("pid ");
    std::vector<std::string> arguments{"yield", path};
    arguments.insert(arguments.end(), own.begin(), own.end());
    tool asks{arguments};
    CHECK(asks.exit_code() == 0);
    CHECK(one.exit_code() == 7);
}

TEST_CASE("who may not create nodes beside the lock path is told so") {
    const auto path = fresh_path("yield");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    lock_holder holder{path + "/inner"};
    REQUIRE(other.set_acl(path, {{"world", "anyone", 31 & ~4}}) == 0);
    tool asks{{"yield", path + "/inner"}};
    CHECK(asks.exit_code() == 124);
    CHECK(asks.says("denies the right CREATE at " + path + '\n'));
}

TEST_CASE("a request that stays behind ends none of the later runs") {
    const auto parent = fresh_path("yield");
    const auto path = parent + "/inner";
    foreign_client other{shared_server().address()};
    make_lock_path(other, parent);
    const auto is_held = [&] { return tickets(path).size() == 1; };
    for (int run = 0; run < 4; ++run) {
        tool one{run_script(path, "trap 'exit 7' TERM; " + waits, {"--on-yield", "end"})};
        (void)one.number_after("pid ");
        await(is_held);
        if (run == 0) { // an asker that is stopped, or may not take its request back
            const auto ticket = tickets(path).front();
            node_info found;
            REQUIRE(other.exists(path + '/' + ticket, &found) == 0);
            REQUIRE(other.create(path + "%yield",
                                 "turnstile=1\nrequest=1\nhost=h\npid=1\nticket=" + ticket + ' ' +
                                     std::to_string(found.czxid) + "\nvalue=once\n",
                                 create_mode::ephemeral) == 0);
            CHECK(one.exit_code() == 7);
            CHECK(one.says("(once"));
        } else {
            tool asks{{"yield", "--reason", "again", path}};
            CHECK(asks.exit_code() == 0);
            CHECK(one.exit_code() == 7);
            CHECK(one.says("(again)"));
        }
        if (run == 0)
            REQUIRE(other.set_acl(parent, {{"world", "anyone", 31 & ~8}}) == 0);
        REQUIRE(is_asked(path)); // it is the foreign client's still
    }
}

TEST_CASE("a reason is cut by bytes, at the end of a character, and what is no UTF-8 is replaced") {
    const auto path = fresh_path("yield");
    tool one{run_script(
        path, "trap 'exit 9' USR1; " + waits,
        {"--on-yield", "printf '%s\\n' \"$TURNSTILE_REASON\"; kill -USR1 $TURNSTILE_PID"})};
    (void)one.number_after("pid ");
    // Two spellings that are too long, half of a pair in UTF-16, and what no character has.
    const std::string wrong = "\xc0\x80\xe0\x9f\xbf\xf0\x8f\xbf\xbf\xed\xa0\x80\xf4\x90\x80\x80";
    std::string accents; // which take no column
    for (int i = 0; i < 65'000; ++i)
        accents += "\u0301";
    tool asks{{"yield", "--reason", wrong + "ee" + accents, path}};
    CHECK(asks.exit_code() == 0);
    CHECK(one.exit_code() == 9);
    const auto told = one.output().substr(one.output().find('\n') + 1);
    CHECK(told == std::string(wrong.size(), '?') + "ee" + accents.substr(0, 3978) + "...\n");
}

TEST_CASE("yield names the holder that it has asked, and none that let go before") {
    const auto path = fresh_path("yield");
    frame_proxy proxy{shared_server().port()};
    tool first{run_script(path, "trap 'exit 0' TERM; " + waits, {"--label", "first"})};
    (void)first.number_after("pid ");
    tool second{run_script(path, "trap 'exit 7' TERM; " + waits,
                           {"--label", "second", "--on-yield", "end"})};
    await([&] { return tickets(path).size() == 2; });
    const auto rule = // a look is a list and a ticket's data, and then it asks
        proxy.add_rule({.path = path, .nth = 3, .action = action::hold});
    tool asks{{"yield", path}, {.servers = proxy.address()}};
    REQUIRE(proxy.wait_until_hit(rule));
    first.process().signal(SIGTERM);
    (void)second.number_after("pid ");
    proxy.release_held();
    CHECK(asks.exit_code() == 0);
    CHECK(asks.output().ends_with(", \"second\") has let go\n"));
    CHECK(second.exit_code() == 7);
}

TEST_CASE("yield names the holder behind nodes that go with no session") {
    const auto path = fresh_path("yield");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    for (const auto* const name : {"/a__lock__0000000000", "/b__lock__0000000001"})
        REQUIRE(other.create(path + name) == 0);
    tool one{run_script(path, "trap 'exit 7' TERM; " + waits,
                        {"--label", "holder", "--on-yield", "end"})};
    (void)one.number_after("pid ");
    tool asks{{"yield", path}};
    CHECK(asks.exit_code() == 0);
    CHECK(asks.output().ends_with(", \"holder\") has let go\n"));
    CHECK(one.exit_code() == 7);
}
