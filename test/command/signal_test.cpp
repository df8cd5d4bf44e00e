// SPDX-License-Identifier: BSL-1.0
// Signals to the command reach the program, and those of its group.
#include "command/support/terminal.hpp"
#include "command/support/tool.hpp"
#include "support/pch.hpp"

#include <csignal>
#include <optional>
#include <string>

using namespace turnstile::test;

TEST_CASE("a signal reaches the program and its children") {
    const int number = GENERATE(SIGTERM, SIGHUP);
    tool one{run_script(fresh_path("signal"), "sh -c 'trap \"echo child heard; exit\" TERM HUP; "
                                              "echo child $$; while :; do sleep 0.01; done' & "
                                              "trap 'echo heard; wait; exit 9' TERM HUP; "
                                              "echo pid $$; while :; do sleep 0.01; done")};
    (void)one.number_after("pid ");
    const auto child = one.number_after("child ");
    one.process().signal(number);
    CHECK(one.exit_code() == 9);
    CHECK(one.output().find("\nheard\n") != std::string::npos);
    CHECK(one.output().find("\nchild heard\n") != std::string::npos);
    CHECK_FALSE(is_alive(child));
}

TEST_CASE("a hang-up of the terminal reaches the program of a turnstile that leads its session") {
    std::optional<terminal> screen{std::in_place};
    tool one{run_script(fresh_path("signal"), "echo pid $$; while :; do sleep 0.01; done"),
             {.input = screen->inside()}};
    const auto program = one.number_after("pid ");
    screen.reset();
    await([&] { return !is_alive(program); });
    CHECK(one.exit_code() == 128 + SIGHUP);
}

TEST_CASE("a signal ends the wait for the lock") {
    const auto path = fresh_path("signal");
    lock_holder holder{path};
    tool waiter{run_script(path, "echo never")};
    await([&] { return tickets(path).size() == 2; });
    waiter.process().signal(SIGINT);
    CHECK(waiter.exit_code() == 128 + SIGINT);
    CHECK(waiter.output().empty());
    CHECK(tickets(path).size() == 1);
    holder.end();
}

TEST_CASE("a signal that was ignored stays so, for the program and for the wait") {
    const auto path = fresh_path("signal");
    const tool::options like_nohup{.before = {"env", "--ignore-signal=HUP"}};
    tool one{run_script(path, "echo pid $$; exec sleep 1000"), like_nohup};
    ::kill(one.number_after("pid "), SIGHUP);
    one.process().signal(SIGHUP);
    tool waiter{run_script(path, "exit 3"), like_nohup};
    await([&] { return tickets(path).size() == 2; });
    waiter.process().signal(SIGHUP);
    one.end();
    CHECK(waiter.exit_code() == 3);
}

TEST_CASE("on a terminal the program reads from it and hears Ctrl-C, and Ctrl-Z does not stop it") {
    terminal screen;
    tool one{run_script(fresh_path("signal"), "trap 'echo heard; exit 4' INT; echo pid $$; "
                                              "read line; echo got $line; "
                                              "while :; do sleep 0.01; done"),
             {.input = screen.inside()}};
    (void)one.number_after("pid ");
    screen.type("\x1a"); // Ctrl-Z
    screen.type("7\n");
    CHECK(one.number_after("got ") == 7);
    screen.type("\x03"); // Ctrl-C
    CHECK(one.exit_code() == 4);
    CHECK(one.output().find("heard\n") != std::string::npos);
}

TEST_CASE(
    "Ctrl-C ends the script around turnstile, too, while it holds the lock and while it waits") {
    const std::string shell = GENERATE("sh", "bash");
    const std::string script = GENERATE("\"$0\" \"$@\"; echo went on",
                                        "for i in 1 2; do \"$0\" \"$@\"; done; echo went on");
    const bool waits = GENERATE(false, true);
    CAPTURE(shell, script, waits);
    const auto path = fresh_path("signal");
    std::optional<tool> holder;
    if (waits) {
        holder.emplace(run_script(path, "echo pid $$; exec sleep 1000"));
        (void)holder->number_after("pid ");
    }
    terminal screen;
    tool one{run_script(path, "echo pid $$; exec sleep 1000"),
             {.input = screen.inside(), .before = {shell, "-c", script}}};
    if (waits)
        await([&] { return tickets(path).size() == 2; });
    else
        (void)one.number_after("pid ");
    screen.type("\x03");
    CHECK(one.exit_code() == 128 + SIGINT);
    CHECK(one.output().find("went on") == std::string::npos);
}

TEST_CASE("Ctrl-C reaches a program that has left the terminal's foreground") {
    terminal screen;
    tool one{{"run", fresh_path("signal"), "--", "timeout", "1000", "sh", "-c",
              "echo pid $$; exec sleep 1000"},
             {.input = screen.inside()}};
    const auto program = one.number_after("pid ");
    screen.type("\x03");
    (void)one.exit_code();
    CHECK_FALSE(is_alive(program));
}

TEST_CASE("a signal to a program that stands still wakes it") {
    tool one{run_script(fresh_path("signal"),
                        "trap 'exit 4' TERM; echo pid $$; while :; do sleep 0.01; done")};
    ::kill(one.number_after("pid "), SIGSTOP);
    one.process().signal(SIGTERM);
    CHECK(one.exit_code() == 4);
}
