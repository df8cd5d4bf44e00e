// The line on the terminal while the lock is waited for.
#include "command/support/terminal.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"

#include <csignal>

using namespace turnstile::test;

TEST_CASE("who waits on a terminal is told who holds the lock, since when, and who is ahead") {
    const auto path = fresh_path("waiting");
    tool holder{run_script(path, "echo pid $$; exec sleep 1000", {"--label", "nightly"})};
    (void)holder.number_after("pid ");
    tool second{run_script(path, "exec sleep 1000")};
    await([&] { return tickets(path).size() == 2; });
    terminal screen{150};
    tool third{run_script(path, "true"), {.errors_to = screen.name()}};
    const auto pid = std::to_string(holder.process().pid());
    const auto text = "waiting for " + path + ", 1 ahead: held by ";
    await([&] { return screen.screen().find(text) != std::string::npos; });
    CHECK(screen.screen().find(" (pid " + pid + ", \"nightly\") since ") != std::string::npos);
    third.process().signal(SIGTERM);
    CHECK(third.exit_code() == 128 + SIGTERM);
    CHECK(screen.screen().ends_with("\r\033[K")); // the line has gone
}

TEST_CASE("the line names the library of a holder that is another program") {
    const auto path = fresh_path("waiting");
    foreign_client kazoo{shared_server().address()};
    kazoo.create("/locks");
    REQUIRE(kazoo.create(path) == 0);
    REQUIRE(kazoo.create(path + "/f00dcafe__lock__", "host-1", create_mode::ephemeral_sequential) ==
            0);
    terminal screen{150};
    tool waiter{run_script(path, "true"), {.errors_to = screen.name()}};
    await([&] {
        kazoo.idle(std::chrono::milliseconds{1});
        return screen.screen().find("held by Kazoo's f00dcafe__lock__") != std::string::npos;
    });
    kazoo.close();
    CHECK(waiter.exit_code() == 0);
}
