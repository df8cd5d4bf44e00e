// SPDX-License-Identifier: BSL-1.0
// A program under a lock: what it gets, and what becomes of its exit code.
#include "command/support/tool.hpp"
#include "support/pch.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <csignal>

using namespace turnstile::test;

TEST_CASE("the program's exit code and output are passed on, and the lock is released") {
    const auto path = fresh_path("run");
    tool one{run_script(path, "echo out; echo err >&2; exit 7")};
    CHECK(one.exit_code() == 7);
    CHECK(one.output() == "out\n");
    CHECK(one.said() == "err\n");
    CHECK(tickets(path).empty());
}

TEST_CASE("a program that a signal ended gives 128 and the signal's number") {
    tool one{run_script(fresh_path("run"), "kill -KILL $$")};
    CHECK(one.exit_code() == 128 + SIGKILL);
    CHECK(one.said().empty());
}

TEST_CASE("the program finds the lock and a growing token in its environment") {
    const auto path = fresh_path("run");
    const std::string script = "echo $TURNSTILE_LOCK $TURNSTILE_FENCING_TOKEN";
    std::string last;
    for (int i = 0; i < 2; ++i) {
        tool one{run_script(path, script)};
        CHECK(one.exit_code() == 0);
        const auto told = one.output();
        REQUIRE(told.size() == path.size() + 1 + 33 + 1);
        CHECK(told.substr(0, path.size() + 1) == path + ' ');
        CHECK(told.substr(path.size()) > last);
        last = told.substr(path.size());
    }
}

TEST_CASE("the program finds its own ticket by the session in its environment") {
    const auto path = fresh_path("run");
    lock_holder holder{path, {"--shared"}};
    tool one{run_script(path, "echo $TURNSTILE_SESSION; " TURNSTILE_COMMAND " show --json " + path,
                        {"--shared"})};
    CHECK(one.exit_code() == 0);
    const auto told = one.output();
    const auto end = told.find('\n');
    const auto line = nlohmann::json::parse(told.substr(end))["line"];
    REQUIRE(line.size() == 2);
    CHECK(line[0]["session"] != told.substr(0, end));
    CHECK(line[1]["session"] == told.substr(0, end));
}

TEST_CASE("the program's arguments are its own, whatever they look like") {
    tool one{{"run", fresh_path("run"), "--", "printf", "%s|", "--wait", "[a,b]", "--", "", "-h"}};
    CHECK(one.exit_code() == 0);
    CHECK(one.output() == "--wait|[a,b]|--||-h|");
}

TEST_CASE("the program holds the lock while it runs") {
    const auto path = fresh_path("run");
    tool holder{run_script(path, "echo pid $$; exec sleep 1000")};
    const auto program = holder.number_after("pid ");
    CHECK(tickets(path).size() == 1);
    tool other{run_script(path, "true", {"--no-wait", "--label", "second"})};
    CHECK(other.exit_code() == 122);
    CHECK(other.says("not acquired: " + path + " is held by "));
    tool patient{run_script(path, "true", {"--wait", "50ms", "--quiet"})};
    CHECK(patient.exit_code() == 122);
    CHECK(patient.said().empty());
    tool waiter{run_script(path, "echo mine")};
    await([&] { return tickets(path).size() == 2; });
    ::kill(program, SIGKILL);
    CHECK(holder.exit_code() == 128 + SIGKILL);
    CHECK(waiter.exit_code() == 0);
    CHECK(waiter.output() == "mine\n");
}

TEST_CASE("the exit code where others have the lock is that of -E, as flock has it") {
    const auto path = fresh_path("run");
    lock_holder holder{path};
    tool one{run_script(path, "true", {"--no-wait", "-E", "0"})};
    CHECK(one.exit_code() == 0);
    CHECK(one.says("not acquired"));
    tool patient{run_script(path, "true", {"--wait", "50ms", "--conflict-exit-code=255"})};
    CHECK(patient.exit_code() == 255);
    for (const std::string wrong : {"256", "-1", "x"}) {
        tool refused{run_script(path, "true", {"--no-wait", "-E", wrong})};
        CHECK(refused.exit_code() == 120);
        CHECK(refused.says("--conflict-exit-code"));
    }
}

TEST_CASE("the lock is kept for as long as --at-least says, or until a signal") {
    const auto path = fresh_path("run");
    tool job{run_script(path, "echo pid $$; exit 5", {"--at-least", "1h"})};
    const auto program = job.number_after("pid ");
    await([&] { return !is_alive(program); });
    CHECK(job.process().running());
    tool other{run_script(path, "true", {"--no-wait", "--at-least", "1h"})};
    CHECK(other.exit_code() == 122);
    job.process().signal(SIGUSR1);                // asks nobody to end
    CHECK(tool{{"show", path}}.exit_code() == 0); // some time for a wrong release
    CHECK(tickets(path).size() == 1);
    job.process().signal(SIGTERM);
    CHECK(job.exit_code() == 5);
    CHECK(tickets(path).empty());
    tool shortly{run_script(path, "exit 6", {"--at-least", "100ms"})};
    CHECK(shortly.exit_code() == 6);
}

TEST_CASE("a lock within itself is refused at once, and another one or a reader's is not") {
    const auto path = fresh_path("run");
    const auto within = [&](std::vector<std::string> outer, std::vector<std::string> inner) {
        std::vector<std::string> words{"run"};
        words.insert(words.end(), outer.begin(), outer.end());
        words.insert(words.end(), {path, "--", TURNSTILE_COMMAND, "run", fresh_path("run"), "--",
                                   TURNSTILE_COMMAND, "run"});
        words.insert(words.end(), inner.begin(), inner.end());
        words.insert(words.end(), {"--", "sh", "-c", "exit 7"});
        return words;
    };
    tool itself{within({}, {path})};
    CHECK(itself.exit_code() == 120);
    CHECK(itself.says("the lock " + path + " is held by a turnstile around this one"));
    const auto port = ':' + std::to_string(shared_server().port());
    const auto name = path.substr(path.rfind('/'));
    for (const auto& [above, below, place] : std::vector<std::array<std::string, 3>>{
             {"127.0.0.1" + port + ",[::1]" + port, "[::1]" + port + ",127.0.0.1" + port, path},
             {"127.0.0.1" + port, "127.0.0.1:1,127.0.0.1" + port + '/', path},
             {"localhost" + port, "LocalHost" + port, path},
             {"127.0.0.1" + port, "127.0.0.1" + port + "/locks", name}}) {
        CAPTURE(above, below);
        tool same{within({"--server", above}, {"--server", below, place})};
        CHECK(same.exit_code() == 120);
    }
    tool beside{within({}, {"--server", shared_server().address() + "/locks", path})};
    CHECK(beside.exit_code() == 7);
    tool reader{within({}, {"--shared", path})};
    CHECK(reader.exit_code() == 120);
    tool readers{within({"--shared"}, {"--shared", path})};
    CHECK(readers.exit_code() == 7);
    tool tries{within({}, {"--no-wait", path})};
    CHECK(tries.exit_code() == 122);
    tool later{
        {"run", path, "--", "sh", "-c", "exit 7"},
        {.before = {"env", "TURNSTILE_HELD=1 w " + shared_server().address() + " " + path + "x"}}};
    CHECK(later.exit_code() == 7);
}

TEST_CASE("a command that cannot be run is told of before the wait") {
    const auto path = fresh_path("run");
    lock_holder holder{path};
    tool missing{{"run", path, "--", "no-such-command"}};
    CHECK(missing.exit_code() == 127);
    CHECK(missing.says("cannot run 'no-such-command': No such file"));
    tool unnamed{{"run", path, "--", ""}};
    CHECK(unnamed.exit_code() == 127);
    tool folder{{"run", path, "--", "/tmp"}};
    CHECK(folder.exit_code() == 126);
    tool line{{"run", path, "--", "echo a | cat"}};
    CHECK(line.exit_code() == 127);
    CHECK(line.says("sh -c 'LINE'"));
}

TEST_CASE("--wait 0s tries once, and nobody is told that his own ticket holds the lock") {
    const auto path = fresh_path("run");
    tool free{run_script(path, "exit 7", {"--wait", "0s"})};
    CHECK(free.exit_code() == 7);
    tool hasty{run_script(path, "exit 7", {"--wait", "1ms"})};
    const int code = hasty.exit_code();
    CAPTURE(code, hasty.said());
    CHECK((code == 7 || hasty.says("was not granted in that time")));
}
