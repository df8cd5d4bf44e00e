// SPDX-License-Identifier: BSL-1.0
// A lock that is lost while the program runs.
#include "command/support/tool.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

using namespace turnstile::test;

TEST_CASE("when a foreign client deletes the ticket, the program gets SIGTERM") {
    const auto path = fresh_path("loss");
    tool one{run_script(path,
                        "trap 'echo heard; exit 0' TERM; echo pid $$; "
                        "while :; do sleep 0.01; done",
                        {"--timeout", "4s"})};
    const auto program = one.number_after("pid ");
    delete_tickets(path);
    CHECK(one.exit_code() == 123); // although the program says that all is well
    CHECK(one.output().ends_with("\nheard\n"));
    CHECK(one.says("the lock " + path + " is lost"));
    CHECK_FALSE(is_alive(program));
}

TEST_CASE("a program that does not heed SIGTERM, or stands still, is killed after the grace") {
    const bool still = GENERATE(false, true);
    const auto path = fresh_path("loss");
    tool one{run_script(path, "trap '' TERM; echo pid $$; while :; do sleep 0.01; done",
                        {"--timeout", "4s", "--grace", "200ms"})};
    const auto program = one.number_after("pid ");
    if (still)
        ::kill(program, SIGSTOP);
    delete_tickets(path);
    CHECK(one.exit_code() == 123);
    CHECK(one.says("SIGKILL 0.2 s later"));
    CHECK_FALSE(is_alive(program));
}

TEST_CASE("when the time of --at-most is over the program is ended, and the next starts after it") {
    const std::string heeds = GENERATE("trap 'echo heard; exit 0' TERM", "trap '' TERM");
    const std::vector<std::string> kind =
        GENERATE(std::vector<std::string>{}, std::vector<std::string>{"--permits", "1"});
    const auto path = fresh_path("loss");
    if (!kind.empty()) {
        tool limit{{"limit", path, "1"}};
        REQUIRE(limit.exit_code() == 0);
    }
    auto options = kind;
    options.insert(options.end(), {"--at-most", "300ms", "--grace", "100ms"});
    tool one{run_script(path, heeds + "; echo pid $$; while :; do sleep 0.01; done", options)};
    const auto program = one.number_after("pid ");
    tool heir{run_script(
        path, "if kill -0 " + std::to_string(program) + "; then echo overlap; else echo alone; fi",
        kind)};
    CHECK(one.exit_code() == 119); // and not as a lock that is lost
    CHECK(one.says("the lock " + path + " is lost"));
    CHECK(one.says("at_most"));
    CHECK(one.output().ends_with("heard\n") == (heeds != "trap '' TERM"));
    CHECK(heir.exit_code() == 0);
    CHECK(heir.output() == "alone\n");
}

TEST_CASE(
    "--at-most does not concern a program that ends before, and is no shorter than --at-least") {
    const auto path = fresh_path("loss");
    tool one{run_script(path, "exit 5", {"--at-most", "1h"})};
    CHECK(one.exit_code() == 5);
    tool wrong{run_script(path, "exit 5", {"--at-most", "1m", "--at-least", "2m"})};
    CHECK(wrong.exit_code() == 120);
    CHECK(wrong.says("--at-least 2m is longer than --at-most 1m"));
    tool none{run_script(path, "exit 5", {"--at-most", "0s"})};
    CHECK(none.exit_code() == 120);
    CHECK(none.says("write 1ms at least"));
}

TEST_CASE("the option --on-lost runs a line beside the end of the program, and does not delay it") {
    const temp_folder folder{"turnstile-loss-"};
    const auto go_on = folder.path() / "go on";
    const auto path = fresh_path("loss");
    tool one{run_script(path,
                        "trap 'echo heard; exit' TERM; echo pid $$; while :; do sleep 0.01; done",
                        {"--timeout", "4s", "--on-lost",
                         "echo \"lost $TURNSTILE_LOCK: $TURNSTILE_REASON\"; while ! test -e '" +
                             go_on.string() + "'; do sleep 0.01; done; echo woken"})};
    const auto program = one.number_after("pid ");
    delete_tickets(path);
    await([&] { return !is_alive(program); });
    await(
        [&] { return one.output().find("lost " + path + ": the lock was") != std::string::npos; });
    CHECK(one.output().find("\nheard\n") != std::string::npos);
    CHECK(one.process().running());
    std::ofstream{go_on};
    CHECK(one.exit_code() == 123);
    CHECK(one.output().ends_with("\nwoken\n"));
}

TEST_CASE(
    "a line of --on-lost that hangs is ended by a signal to turnstile, and in the end by itself") {
    const bool by_signal = GENERATE(true, false);
    const auto path = fresh_path("loss");
    tool one{run_script(path, "exec sleep 1000",
                        {"--timeout", "4s", "--on-lost",
                         by_signal ? "echo line $$; exec sleep 1000"
                                   : "trap '' TERM; echo line $$; while :; do sleep 0.01; done"})};
    await([&] { return tickets(path).size() == 1; });
    delete_tickets(path);
    const auto line = one.number_after("line ");
    if (by_signal) // it is no part of the program, whose end it may outlive
        await([&] {
            if (is_alive(line)) // a signal at the very end would end turnstile itself
                one.process().signal(SIGTERM);
            return !one.process().running();
        });
    CHECK(one.exit_code() == 123);
    CHECK_FALSE(is_alive(line));
}

TEST_CASE("a lock that is lost in the time of --at-least is told, with 123") {
    const auto path = fresh_path("loss");
    tool one{run_script(path, "echo pid $$",
                        {"--timeout", "4s", "--at-least", "1h", "--on-lost", "echo told 1"})};
    const auto program = one.number_after("pid ");
    await([&] { return !is_alive(program); });
    delete_tickets(path);
    CHECK(one.exit_code() == 123);
    CHECK(one.number_after("told ") == 1);
    CHECK(one.says("was lost after the program had ended"));
}

TEST_CASE("a line of --on-lost is not run where the lock is not lost") {
    tool one{run_script(fresh_path("loss"), "true", {"--on-lost", "echo lost"})};
    CHECK(one.exit_code() == 0);
    CHECK(one.output().empty());
}

TEST_CASE("when no server is reached, the program has its grace before others get the lock") {
    const auto path = fresh_path("loss");
    frame_proxy proxy{shared_server().port()};
    tool one{run_script(path, "trap 'echo heard' TERM; echo pid $$; while :; do sleep 0.01; done",
                        {"--timeout", "3s", "--grace", "500ms"}),
             {.servers = proxy.address()}};
    const auto program = one.number_after("pid ");
    tool heir{run_script(path, "if kill -0 " + std::to_string(program) +
                                   "; then echo overlap; else echo alone; fi")};
    await([&] { return tickets(path).size() == 2; });
    proxy.set_black_hole(true);
    CHECK(one.exit_code() == 123);
    CHECK(one.output().ends_with("\nheard\n"));
    CHECK(heir.exit_code() == 0);
    CHECK(heir.output() == "alone\n");
}

TEST_CASE("a lock that a foreign client took unnoticed is told of at the end, with 123") {
    const auto option = GENERATE(std::vector<std::string>{}, std::vector<std::string>{"--shared"},
                                 std::vector<std::string>{"--permits", "1"});
    const auto path = fresh_path("loss");
    std::string line = path;
    if (option.size() == 2) {
        tool limit{{"limit", path, "3"}};
        REQUIRE(limit.exit_code() == 0);
        line += "/leases";
    }
    auto options = option;
    options.insert(options.end(), {"--timeout", "40s"}); // its beats come seldom
    tool one{
        run_script(path, "trap 'exit 0' USR1; echo pid $$; while :; do sleep 0.01; done", options)};
    const auto program = one.number_after("pid ");
    delete_tickets(line);
    ::kill(program, SIGUSR1);
    CHECK(one.exit_code() == 123);
    CHECK(one.says("lost"));
}

TEST_CASE("a server that is back in a moment still takes the release; else turnstile says so") {
    const bool back = GENERATE(true, false);
    const auto path = fresh_path("loss");
    frame_proxy proxy{shared_server().port()};
    tool one{run_script(path, "trap 'exit 3' USR1; echo pid $$; while :; do sleep 0.01; done",
                        {"--timeout", "40s"}),
             {.servers = proxy.address()}};
    const auto program = one.number_after("pid ");
    proxy.set_outage(true);
    proxy.cut_all();
    ::kill(program, SIGUSR1);
    await([&] { return !is_alive(program); });
    if (back) {
        CHECK(one.process().running());
        proxy.set_outage(false);
    }
    CHECK(one.exit_code() == 3); // as its program did
    if (back) {
        CHECK(one.said().empty());
        CHECK(tickets(path).empty());
    } else {
        CHECK(one.says("no server takes the release of " + path));
        CHECK(one.says("for 40s"));
    }
}

TEST_CASE("the moment of SIGKILL is told as it is where a server grants a shorter timeout") {
    zookeeper_server server{{.max_session_timeout_ms = 2'000}};
    frame_proxy proxy{server.port()};
    tool one{
        run_script(fresh_path("loss"), "trap '' TERM; echo pid $$; while :; do sleep 0.01; done"),
        {.servers = proxy.address()}};
    (void)one.number_after("pid ");
    proxy.set_black_hole(true);
    CHECK(one.exit_code() == 123);
    CHECK(one.says(" s later"));
    CHECK_FALSE(one.says("SIGKILL 3 s later"));
}

TEST_CASE("a wait whose server falls silent ends when its time is over") {
    const auto path = fresh_path("loss");
    lock_holder holder{path};
    frame_proxy proxy{shared_server().port()};
    tool waiter{run_script(path, "true", {"--timeout", "40s", "--wait", "1s"}),
                {.servers = proxy.address()}};
    await([&] { return tickets(path).size() == 2; });
    proxy.set_black_hole(true);
    const int code = waiter.exit_code();
    CHECK((code == 122 || code == 121));
}
