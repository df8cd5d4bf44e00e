// A lock that is lost while the program runs.
#include "command/support/tool.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"

#include <csignal>

using namespace turnstile::test;

TEST_CASE("when another hand deletes the ticket, the program gets SIGTERM") {
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
    CHECK(one.says("SIGKILL 200ms later"));
    CHECK_FALSE(is_alive(program));
}

TEST_CASE("a program that stands still hears SIGTERM all the same") {
    const auto path = fresh_path("loss");
    tool one{run_script(path,
                        "trap 'echo heard; exit' TERM; echo pid $$; "
                        "while :; do sleep 0.01; done",
                        {"--timeout", "4s"})};
    ::kill(one.number_after("pid "), SIGSTOP);
    delete_tickets(path);
    CHECK(one.exit_code() == 123);
    CHECK(one.output().ends_with("\nheard\n"));
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
