// SPDX-License-Identifier: BSL-1.0
// A lock, followed live.
#include "command/support/lock_path.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/handshake.hpp"
#include "support/pch.hpp"
#include "support/zookeeper_server.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <sstream>

using namespace turnstile::test;
using nlohmann::json;

namespace {

using words = std::vector<std::string>;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);)
        result.push_back(line);
    return result;
}

} // namespace

TEST_CASE("who comes, holds and leaves is told as it happens") {
    const auto path = fresh_path("watch");
    tool people{{"watch", "--every", "100ms", path}};
    tool programs{{"watch", "--every", "100ms", "--json", path}};
    const auto await_lines = [&](std::size_t count) {
        for (auto* each : {&people, &programs})
            await([&] { return lines_of(each->output()).size() >= count; });
    };
    tool one{run_script(path, "echo pid $$; exec sleep 1000", {"--label", "first"})};
    await_lines(1);
    tool two{run_script(path, "echo pid $$; exec sleep 1000", {"--label", "second"})};
    await_lines(2);
    one.end();
    await_lines(4);
    two.end();
    await_lines(5);
    for (auto* each : {&people, &programs}) {
        each->process().signal(SIGINT);
        CHECK(each->exit_code() == 0);
    }

    const std::vector<std::pair<std::string, std::string>> expected{{"holds", "first"},
                                                                    {"waits", "second"},
                                                                    {"left", "first"},
                                                                    {"holds", "second"},
                                                                    {"left", "second"}};
    const auto told = lines_of(people.output());
    const auto objects = lines_of(programs.output());
    REQUIRE(told.size() == expected.size());
    REQUIRE(objects.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(told[i].find("  " + expected[i].first + "  ") != std::string::npos);
        CHECK(told[i].find("\"" + expected[i].second + "\"") != std::string::npos);
        const auto object = json::parse(objects[i]);
        CHECK(object["event"] == expected[i].first);
        CHECK(object["label"] == expected[i].second);
        CHECK(object["time"].get<std::string>().ends_with("Z"));
    }
}

TEST_CASE("who watches goes on when the server is back") {
    zookeeper_server server;
    tool watcher{{"watch", "--every", "100ms", "--timeout", "2s", "/locks/restart"},
                 {.servers = server.address()}};
    foreign_client other{server.address()};
    REQUIRE(other.create("/locks") == 0);
    REQUIRE(other.create("/locks/restart") == 0);
    REQUIRE(other.create("/locks/restart/a__lock__", "", create_mode::ephemeral_sequential) == 0);
    await([&] { return watcher.output().find("holds") != std::string::npos; });
    other.abandon();
    server.kill();
    server.start();
    foreign_client{server.address()}.remove("/locks/restart/a__lock__0000000000");
    await([&] { return watcher.output().find("left") != std::string::npos; });
    watcher.process().signal(SIGTERM);
    CHECK(watcher.exit_code() == 0);
}

TEST_CASE("who watches is told that no server answers, and that one is back") {
    const auto path = fresh_path("watch");
    frame_proxy proxy{shared_server().port()};
    auto arguments = GENERATE(words{"watch"}, words{"leader", "--watch"});
    const bool silent = GENERATE(false, true);
    CAPTURE(arguments, silent);
    arguments.insert(arguments.end(), {"--timeout", "3s", path});
    lock_holder holder{path};
    tool watcher{arguments, {.servers = proxy.address()}};
    await([&] { return !watcher.output().empty(); });
    if (silent) {
        proxy.set_black_hole(true);
    } else {
        proxy.set_outage(true);
        proxy.cut_all();
    }
    // Of its own accord the library gives up after 30 s.
    await(
        [&] {
            return watcher.says("turnstile: no ZooKeeper server answers at " + proxy.address());
        },
        std::chrono::seconds{20});
    CHECK_FALSE(watcher.says("answers again"));
    if (silent)
        proxy.set_black_hole(false);
    else
        proxy.set_outage(false);
    await([&] { return watcher.says("turnstile: a server answers again, after "); });
    holder.end();
    const auto left = arguments.front() == "watch" ? "left" : "nobody leads";
    await([&] { return watcher.output().find(left) != std::string::npos; });
    watcher.process().signal(SIGINT);
    CHECK(watcher.exit_code() == 0);
}

TEST_CASE("who watches ends with the reader of what is told") {
    const auto path = fresh_path("watch");
    lock_holder holder{path};
    auto arguments =
        GENERATE(words{"watch"}, words{"leader", "--watch"}, words{"drill", "--for", "1h"});
    arguments.push_back(arguments.front() == "drill" ? path + "-drill" : path);
    CAPTURE(arguments);
    tool one{arguments,
             {.before = {"bash", "-c", "\"$0\" \"$@\" | head -n 1; exit ${PIPESTATUS[0]}"}}};
    // Nothing changes any more that it could tell.
    CHECK(one.exit_code() == (arguments.front() == "drill" ? 125 : 128 + SIGPIPE));
    CHECK(lines_of(one.output()).size() == 1);
    CHECK(tickets(path + "-drill").empty());
}

TEST_CASE("a right that is taken away ends a watch that has begun") {
    const auto path = fresh_path("watch");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    tool watcher{{"watch", "--every", "100ms", path}};
    await([&] { return watcher.output().find("holds") != std::string::npos; });
    REQUIRE(other.set_acl(path, {{"world", "anyone", 31 & ~1}}) == 0);
    CHECK(watcher.exit_code() == 124);
    CHECK(watcher.says("READ"));
}

TEST_CASE("who watches goes on where servers do not restore a session") {
    const auto path = fresh_path("watch");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    frame_proxy proxy{shared_server().port()};
    tool watcher{{"watch", "--every", "100ms", "--timeout", "2s", path},
                 {.servers = proxy.address()}};
    tool one{run_script(path, "echo pid $$; exec sleep 1000", {"--label", "first"})};
    await([&] { return watcher.output().find("first") != std::string::npos; });
    (void)proxy.add_rule({.op = op::connect,
                          .times = 0,
                          .action = action::wrong_bytes,
                          .rewritten = as_a_new_session});
    proxy.cut_all();
    tool two{run_script(path, "true", {"--label", "second"})};
    await([&] { return watcher.output().find("second") != std::string::npos; });
    watcher.process().signal(SIGTERM);
    CHECK(watcher.exit_code() == 0);
}
