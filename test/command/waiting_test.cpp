// SPDX-License-Identifier: BSL-1.0
// The line on the terminal while the lock is waited for.
#include "command/support/lock_path.hpp"
#include "command/support/terminal.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/handshake.hpp"
#include "support/pch.hpp"

#include <csignal>
#include <optional>
#include <string>

using namespace turnstile::test;

TEST_CASE(
    "who waits on a terminal is told who holds the lock, how old its ticket is, and who is ahead") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path, {"--label", "nightly"}};
    tool second{run_script(path, "exec sleep 1000")};
    await([&] { return tickets(path).size() == 2; });
    terminal screen{150};
    tool third{run_script(path, "true"), {.errors_to = screen.name()}};
    const auto pid = std::to_string(holder.process().pid());
    const auto text = "waiting for " + path + ", 1 ahead: held by ";
    await([&] { return screen.screen().find(text) != std::string::npos; });
    CHECK(screen.screen().find(" (pid " + pid + ", \"nightly\"), in line for ") !=
          std::string::npos);
    third.end();
    CHECK(screen.screen().ends_with("\r\033[K")); // the line has gone
}

TEST_CASE("the line names the library of a holder that is another program") {
    const auto path = fresh_path("waiting");
    foreign_client kazoo{shared_server().address()};
    make_lock_path(kazoo, path);
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

TEST_CASE("what is too long for the terminal shortens the label first, then the path") {
    const auto path = fresh_path("waiting") + '-' + std::string(20, 'p') + "end";
    tool holder{run_script(path, "echo pid $$; exec sleep 1000",
                           {"--label", "\u00e4" + std::string(80, 'l')})};
    (void)holder.number_after("pid ");
    const auto shown = [&](unsigned short columns) {
        terminal screen{columns};
        tool waiter{run_script(path, "true"), {.errors_to = screen.name()}};
        await([&] { return screen.screen().find("waiting for ") != std::string::npos; });
        waiter.process().signal(SIGTERM);
        CHECK(waiter.exit_code() == 128 + SIGTERM);
        const auto begin = screen.screen().find("waiting");
        return screen.screen().substr(begin, screen.screen().find('\r', begin) - begin);
    };
    const auto wide = shown(140);
    CAPTURE(wide);
    CHECK(wide.size() == 140); // in 139 columns
    CHECK(wide.starts_with("waiting for " + path + ": held by "));
    CHECK(wide.find(", \"\u00e4l") != std::string::npos);
    CHECK(wide.find("l...\"), in line for ") != std::string::npos);
    const auto narrow = shown(80);
    CAPTURE(narrow);
    CHECK(narrow.size() == 79);
    CHECK(narrow.starts_with("waiting for ..."));
    CHECK(narrow.find("pend: held by ") != std::string::npos);
    CHECK(narrow.find("), in line for ") != std::string::npos);
    CHECK(narrow.ends_with(" s"));
    CHECK(narrow.find('"') == std::string::npos);
    CHECK(shown(20).size() == 19);
}

TEST_CASE("a terminal that goes away does not end the wait") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    std::optional<terminal> screen{150};
    tool waiter{run_script(path, "exit 7"), {.errors_to = screen->name()}};
    await([&] { return screen->screen().find("held by ") != std::string::npos; });
    screen.reset();
    holder.end();
    CHECK(waiter.exit_code() == 7);
}

TEST_CASE("without a terminal one line tells of a wait that takes some seconds") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    tool brief{run_script(path, "true", {"--wait", "1s"})};
    tool quiet{run_script(path, "true", {"--wait", "9s", "--quiet"})};
    tool waiter{run_script(path, "true", {"--wait", "9s"})};
    tool verbose{run_script(path, "true", {"--wait", "1s", "--verbose"})};
    for (auto* each : {&brief, &quiet, &waiter, &verbose})
        CHECK(each->exit_code() == 122);
    const auto text = "turnstile: waiting for " + path;
    CHECK_FALSE(brief.says(text));
    CHECK(quiet.said().empty());
    CHECK(verbose.says(text));
    const auto said = waiter.said();
    CAPTURE(said);
    CHECK(said.starts_with(text));
    CHECK(said.find(": held by ") != std::string::npos);
    CHECK(said.find(text, 1) == std::string::npos);
}

TEST_CASE("a terminal that can do nothing, or shows what happens, gets one line of a wait") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    const auto kind = GENERATE(std::string{"dumb"}, "xterm");
    terminal screen{150};
    std::vector<std::string> options{"--wait", "3s"};
    if (kind == "xterm")
        options.emplace_back("--verbose");
    tool waiter{run_script(path, "true", options),
                {.errors_to = screen.name(), .before = {"env", "TERM=" + kind}}};
    CHECK(waiter.exit_code() == 122);
    const auto& shown = screen.screen();
    CAPTURE(shown);
    CHECK(shown.find('\x1b') == std::string::npos);
    const auto text = "turnstile: waiting for " + path + ": held by ";
    CHECK(shown.find(text) != std::string::npos);
    CHECK(shown.find(text) == shown.rfind(text));
}

TEST_CASE("a line that the terminal broke, as it was made narrower, stays as it is") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    terminal screen{150};
    tool waiter{run_script(path, "true"), {.errors_to = screen.name()}};
    await([&] { return screen.screen().ends_with(" s"); });
    screen.resize(40);
    await([&] { return screen.screen().find("s\r\nwaiting for ") != std::string::npos; });
    const auto narrow = screen.screen().substr(screen.screen().rfind('\n') + 1);
    CHECK(narrow.starts_with("waiting for "));
    CHECK(narrow.size() <= 39);
    waiter.end();
    CHECK(screen.screen().ends_with("\r\033[K")); // the last line has gone
}

TEST_CASE("--quiet says nothing on a terminal either") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    terminal screen{150};
    tool waiter{run_script(path, "true", {"--quiet", "--wait", "1s"}),
                {.errors_to = screen.name()}};
    CHECK(waiter.exit_code() == 122);
    CHECK(screen.screen().empty());
}

TEST_CASE("a wait in the background writes no line over what the terminal shows") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    terminal screen{150};
    tool waiter{run_script(path, "true", {"--wait", "1s"}),
                {.errors_to = screen.name(),
                 .input = screen.inside(),
                 .before = {"bash", "-mc", "\"$0\" \"$@\" & wait $!"}}};
    CHECK(waiter.exit_code() == 122);
    CHECK(screen.screen().find("not acquired") != std::string::npos);
    CHECK(screen.screen().find("waiting for") == std::string::npos);
}

TEST_CASE("a wait goes on where no server answers for longer than the library waits for one") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    frame_proxy proxy{shared_server().port()};
    // The servers keep its place.
    tool waiter{run_script(path, "exit 7", {"--timeout", "40s"}), {.servers = proxy.address()}};
    await([&] { return tickets(path).size() == 2; });
    proxy.set_outage(true);
    proxy.cut_all();
    // justified: nothing tells when session_options::unreachable_limit would be over, at 30 s
    for (int second = 0; second < 31; ++second) {
        REQUIRE_FALSE(waiter.process().wait_for_end(std::chrono::seconds{1}));
        CHECK(tickets(path).size() == 2);
    }
    proxy.set_outage(false);
    holder.end();
    CHECK(waiter.exit_code() == 7);
}

TEST_CASE("a wait goes on with a new session where servers do not restore one") {
    const auto path = fresh_path("waiting");
    lock_holder holder{path};
    frame_proxy proxy{shared_server().port()};
    tool waiter{run_script(path, "exit 7", {"--timeout", "2s"}), {.servers = proxy.address()}};
    const auto waiting = [&] {
        const auto all = tickets(path);
        return all.size() == 2 ? all[1] : std::string{};
    };
    std::string first;
    await([&] { return !(first = waiting()).empty(); });
    (void)proxy.add_rule({.op = op::connect,
                          .times = 0,
                          .action = action::wrong_bytes,
                          .rewritten = as_a_new_session});
    proxy.cut_all();
    await([&] {
        const auto now = waiting();
        return !now.empty() && now != first;
    });
    holder.end();
    CHECK(waiter.exit_code() == 7);
}

TEST_CASE("a name whose look-up hangs holds up neither the lock nor the end of turnstile") {
    const std::string hung = "after-30.turnstile.test:2181";
    const auto path = fresh_path("waiting");
    tool beside{run_script(path, "exit 7"),
                {.servers = hung + ',' + shared_server().address(), .before = with_slow_names()}};
    CHECK(beside.exit_code() == 7);
    tool alone{run_script(path, "exit 7", {"--connect-timeout", "1s"}),
               {.servers = hung, .before = with_slow_names()}};
    CHECK(alone.exit_code() == 121);
    tool watcher{{"watch", "--connect-timeout", "1s", path},
                 {.servers = hung, .before = with_slow_names()}};
    CHECK(watcher.exit_code() == 121);
}
