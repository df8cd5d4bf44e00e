// SPDX-License-Identifier: BSL-1.0
// Whatever becomes of turnstile, its program does not outlive the lock.
#include "command/support/tool.hpp"
#include "support/child_process.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

using namespace turnstile::test;
using namespace std::chrono_literals;

namespace {

/// A program with a child in the background, neither of which heeds SIGTERM.
const std::string stubborn = "trap '' TERM; sleep 1000 & "
                             "echo guard $PPID; echo child $!; echo pid $$; wait";

/// Says whether that program is there.
std::string overlap_with(pid_t program) {
    return "if kill -0 " + std::to_string(program) + "; then echo overlap; else echo alone; fi";
}

/// 0: none.
pid_t only_child_of(pid_t process) {
    const auto number = std::to_string(process);
    std::ifstream children{"/proc/" + number + "/task/" + number + "/children"};
    pid_t result = 0;
    return children >> result ? result : 0;
}

} // namespace

TEST_CASE("when turnstile is killed, its program and the children of that end within a second") {
    const auto path = fresh_path("guardian");
    tool one{run_script(path, stubborn)};
    const auto program = one.number_after("pid ");
    const auto child = one.number_after("child ");
    const auto guardian = one.number_after("guard ");
    CHECK(is_alive(child));
    const auto begun = std::chrono::steady_clock::now();
    one.process().kill_and_wait();
    await([&] { return !is_alive(program) && !is_alive(child); });
    CHECK(std::chrono::steady_clock::now() - begun < 1s);
    await([&] { return !is_alive(guardian); });
}

TEST_CASE("when turnstile's whole process group is killed, its program ends, too") {
    tool one{run_script(fresh_path("guardian"), stubborn), {.before = {"setsid"}}};
    const auto program = one.number_after("pid ");
    const auto child = one.number_after("child ");
    ::kill(-one.process().pid(), SIGKILL);
    await([&] { return !is_alive(program) && !is_alive(child); });
}

TEST_CASE("when turnstile stands still, its program ends before others get the lock") {
    const auto path = fresh_path("guardian");
    tool one{run_script(path, stubborn, {"--timeout", "2s"})};
    const auto program = one.number_after("pid ");
    tool heir{run_script(path, overlap_with(program))};
    await([&] { return tickets(path).size() == 2; });
    one.process().freeze();
    CHECK(heir.exit_code() == 0);
    CHECK(heir.output() == "alone\n");
    one.process().thaw();
    CHECK(one.exit_code() == 123);
}

TEST_CASE("a turnstile that stands still before it has the lock starts nothing too late") {
    const auto path = fresh_path("guardian");
    lock_holder holder{path};
    tool late{run_script(path, "echo mine", {"--timeout", "1s"})};
    await([&] { return tickets(path).size() == 2; });
    late.process().freeze();
    await([&] { return tickets(path).size() == 1; }); // its session has expired
    holder.end();
    late.process().thaw();
    CHECK(late.exit_code() == 0); // with a ticket of a new session
    CHECK(late.output() == "mine\n");
}

TEST_CASE("a waiting turnstile whose guardian is killed ends at once, and says so") {
    const bool away = GENERATE(false, true); // all servers
    const auto path = fresh_path("guardian");
    lock_holder holder{path};
    tool waiter{run_script(path, "true", {"-v"}), {.servers = away ? "127.0.0.1:1" : ""}};
    pid_t guardian = 0;
    await([&] { return (guardian = only_child_of(waiter.process().pid())) != 0; });
    if (!away)
        await([&] { return tickets(path).size() == 2; });
    ::kill(guardian, SIGKILL);
    CHECK(waiter.exit_code() == 125);
    CHECK(waiter.says("the process that guards the program was killed (signal 9, Killed), so the "
                      "program was not run"));
    CHECK(tickets(path).size() == 1);
}

TEST_CASE("where the guardian is stopped, the program ends all the same when the lock is lost") {
    const bool stays = GENERATE(false, true); // or it may be woken
    const auto path = fresh_path("guardian");
    tool one{run_script(path, stubborn, {"--timeout", "2s", "--grace", "200ms"})};
    const auto program = one.number_after("pid ");
    const auto child = one.number_after("child ");
    const auto guardian = one.number_after("guard ");
    ::kill(guardian, SIGSTOP);
    delete_tickets(path);
    await(
        [&] {
            if (stays && is_alive(guardian))
                ::kill(guardian, SIGSTOP);
            return !one.process().running();
        },
        10s);
    CHECK(one.exit_code() == 123);
    CHECK_FALSE(is_alive(program));
    CHECK_FALSE(is_alive(child));
    if (stays)
        CHECK(one.says("the process that guards the program stands still, so it is killed"));
}

TEST_CASE(
    "a turnstile whose guardian is stopped ends at a signal that comes before it has the lock") {
    const auto path = fresh_path("guardian");
    lock_holder holder{path};
    tool waiter{run_script(path, "true")};
    await([&] { return tickets(path).size() == 2; });
    ::kill(only_child_of(waiter.process().pid()), SIGSTOP);
    waiter.end();
}

TEST_CASE("the guardian has a name of its own, so that it outlives `pkill turnstile`") {
    tool one{run_script(fresh_path("guardian"), stubborn)};
    std::ifstream file{"/proc/" + std::to_string(one.number_after("guard ")) + "/comm"};
    std::string name;
    file >> name;
    CHECK(name == "lock-guardian");
}

TEST_CASE("where a guardian cannot do its work, the program is not run, and the cause is told") {
    const std::string call = GENERATE("timerfd_create", "subreaper");
    const auto path = fresh_path("guardian");
    tool one{run_script(path, "true"), {.before = refusing({call})}};
    CHECK(one.exit_code() == 125);
    CHECK(one.says(call == "subreaper" ? "PR_SET_CHILD_SUBREAPER" : call));
    CHECK(one.says("Operation not permitted"));
    CHECK(tickets(path).empty());
}

TEST_CASE("what the program leaves behind ends before the lock is released") {
    const auto path = fresh_path("guardian");
    const bool heeds = GENERATE(true, false);
    const std::string trap = heeds ? "trap \"echo heard; exit\" TERM" : "trap \"\" TERM";
    tool one{run_script(path,
                        "sh -c '" + trap +
                            "; echo child $$; while :; do sleep 0.01; done' & "
                            "trap 'exit 3' USR1; echo pid $$; while :; do sleep 0.01; done",
                        {"--grace", "200ms"})};
    (void)one.number_after("pid ");
    const auto child = one.number_after("child ");
    tool heir{run_script(path, overlap_with(child))};
    await([&] { return tickets(path).size() == 2; });
    ::kill(one.number_after("pid "), SIGUSR1);
    CHECK(one.exit_code() == 3);
    CHECK(heir.exit_code() == 0);
    CHECK(heir.output() == "alone\n");
    CHECK((one.output().find("heard\n") != std::string::npos) == heeds);
}

TEST_CASE("a process that has got the program's number is let alone") {
    const std::vector<std::string> own_numbers{"unshare", "--user", "--map-root-user",
                                               "--pid",   "--fork", "--mount-proc"};
    auto possible = own_numbers;
    possible.emplace_back("true");
    child_process try_it{{.argv = possible}};
    if (try_it.wait_for_end(std::chrono::seconds{20}) != true || try_it.exit_status() != 0) {
        WARN("no namespace of process numbers can be made here");
        return;
    }
    // The program ends and leaves a job. Then its number goes to an innocent process, in a group of
    // that number, and turnstile is told to end, and is killed.
    const temp_folder folder{"turnstile-guardian-"};
    const auto file = [&](const char* name) { return (folder.path() / name).string(); };
    std::ofstream{file("outside")} << R"sh(
program=)sh" + file("program") + R"sh(
"$0" "$@" & turnstile=$!
until [ -s $program ]; do sleep 0.01; done
number=$(cat $program)
while kill -0 $number 2>/dev/null; do sleep 0.01; done
while :; do
    echo $((number - 1)) >/proc/sys/kernel/ns_last_pid
    setsid sleep 1000 & innocent=$!
    [ $innocent = $number ] && break
    kill -9 $innocent
done
until [ "$(ps -o pgid= $innocent)" -eq $innocent ]; do sleep 0.01; done
kill -TERM $turnstile
kill -KILL $turnstile
job=$(cat )sh" + file("job") + R"sh()
while kill -0 $job 2>/dev/null; do sleep 0.01; done
kill -0 $innocent && echo the innocent one lives
)sh";
    std::ofstream{file("inside")} << R"sh(
job=)sh" + file("job") + R"sh(
perl -e 'setpgrp; exec @ARGV' sh -c "trap '' TERM; echo \$\$ >$job; exec sleep 1000" &
until [ -s $job ]; do sleep 0.01; done
echo $$ >)sh" + file("program") + '\n';
    auto before = own_numbers;
    before.insert(before.end(), {"sh", "-c", ". " + file("outside")});
    tool one{{"run", "--grace", "1m", "--timeout", "5m", fresh_path("guardian"), "--", "sh",
              file("inside")},
             {.before = before}};
    CHECK(one.exit_code() == 0);
    CHECK(one.output() == "the innocent one lives\n");
}
