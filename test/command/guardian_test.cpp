// Whatever becomes of turnstile, its program does not outlive the lock.
#include "command/support/tool.hpp"
#include "support/pch.hpp"

#include <chrono>
#include <csignal>

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
    tool holder{run_script(path, "echo pid $$; exec sleep 1000")};
    (void)holder.number_after("pid ");
    tool late{run_script(path, "echo mine", {"--timeout", "1s"})};
    await([&] { return tickets(path).size() == 2; });
    late.process().freeze();
    await([&] { return tickets(path).size() == 1; }); // its session has expired
    holder.process().signal(SIGTERM);
    CHECK(holder.exit_code() == 128 + SIGTERM);
    late.process().thaw();
    CHECK(late.exit_code() == 0); // with a ticket of a new session
    CHECK(late.output() == "mine\n");
}

TEST_CASE("when the guardian is killed, the program ends, and turnstile says so") {
    const auto path = fresh_path("guardian");
    tool one{run_script(path, stubborn)};
    const auto program = one.number_after("pid ");
    const auto child = one.number_after("child ");
    ::kill(one.number_after("guard "), SIGKILL);
    CHECK(one.exit_code() == 125);
    CHECK(one.says("guards the program was killed"));
    await([&] { return !is_alive(program) && !is_alive(child); });
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
