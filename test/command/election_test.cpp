// SPDX-License-Identifier: BSL-1.0
// turnstile elect, and who is told to lead.
#include "command/support/lock_path.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"
#include "support/zookeeper_server.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <sstream>

using namespace turnstile::test;
using nlohmann::json;

namespace {

std::vector<std::string> elect_script(const std::string& path, const std::string& script,
                                      std::vector<std::string> options = {}) {
    auto result = run_script(path, script, std::move(options));
    result.front() = "elect";
    return result;
}

/// A candidate whose program only waits.
struct standing : tool {
    standing(const std::string& path, const std::string& value, options how = {},
             const std::string& timeout = "4s")
        : tool{elect_script(path, "echo token $TURNSTILE_FENCING_TOKEN; exec sleep 1000",
                            {"--value", value, "--label", "web", "--timeout", timeout}),
               std::move(how)} {}
    bool leads() const { return output().find("token ") != std::string::npos; }
};

json leader_of(const std::string& path, int code = 0) {
    tool asks{{"leader", "--json", path}};
    CHECK(asks.exit_code() == code);
    CHECK(asks.said().empty());
    return json::parse(asks.output());
}

std::vector<json> objects_of(const std::string& text) {
    std::vector<json> result;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);)
        result.push_back(json::parse(line));
    return result;
}

} // namespace

TEST_CASE("a candidate of elect leads with its value, and others can ask who leads") {
    const auto path = fresh_path("election");
    standing one{path, "10.0.0.7:8080"};
    await([&] { return one.leads(); });
    tool people{{"leader", path}};
    CHECK(people.exit_code() == 0);
    CHECK(people.output().find(", \"web\") leads " + path + ", token ") != std::string::npos);
    CHECK(people.output().find(", in line since ") != std::string::npos);
    CHECK(people.output().ends_with(": 10.0.0.7:8080\n"));
    const auto who = leader_of(path);
    CHECK(who["leads"] == true);
    CHECK(who["value"] == "10.0.0.7:8080");
    CHECK(who["label"] == "web");
    CHECK(who["pid"] == one.process().pid());
    CHECK(who["in_line_since"].get<std::string>().ends_with("Z"));
    CHECK(one.output() == "token " + who["token"].get<std::string>() + '\n');
    tool tries{elect_script(path, "true", {"--no-wait"})};
    CHECK(tries.exit_code() == 122);
    one.end();
    tool next{elect_script(path, "exit 7")};
    CHECK(next.exit_code() == 7);
}

TEST_CASE("the value of a candidate is its process and its host unless one is given") {
    const auto path = fresh_path("election");
    tool one{elect_script(path, "echo pid $$; exec sleep 1000")};
    (void)one.number_after("pid ");
    const auto who = leader_of(path);
    CHECK(who["value"] ==
          std::to_string(who["pid"].get<int>()) + '@' + who["host"].get<std::string>());
}

TEST_CASE("one leads at a time, so elect has neither --shared nor --permits") {
    for (const std::string option : {"--shared", "--permits"}) {
        tool wrong{{"elect", option, "/locks/election", "--", "true"}};
        CHECK(wrong.exit_code() == 120);
        CHECK(wrong.says("there is no option '" + option + '\''));
    }
    tool none{{"elect", "/locks/election"}};
    CHECK(none.exit_code() == 120);
    CHECK(none.says("nothing is to be run"));
    tool help{{"elect", "--help"}};
    CHECK(help.exit_code() == 0);
    CHECK(help.output().find(" PATH -- COMMAND [ARGUMENT...]") != std::string::npos);
}

TEST_CASE("where nobody leads, leader ends with 122") {
    const auto path = fresh_path("election");
    CHECK(leader_of(path, 122) == json{{"path", path}, {"leads", false}});
    tool people{{"leader", path}};
    CHECK(people.exit_code() == 122);
    CHECK(people.output() == "nobody leads " + path + '\n');
}

TEST_CASE("holders of run lead without a value, as do other libraries") {
    const auto path = fresh_path("election");
    {
        lock_holder holder{path};
        CHECK(leader_of(path)["value"].get<std::string>().empty());
        holder.end();
    }
    foreign_client other{shared_server().address()};
    REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    const auto foreigner = leader_of(path);
    CHECK(foreigner["host"].get<std::string>().empty());
    CHECK(foreigner["pid"].is_null());
    tool people{{"leader", path}};
    CHECK(people.exit_code() == 0);
    CHECK(people.output().starts_with("another program (session 0x"));
}

TEST_CASE("leader --watch tells a change, and goes on when the server is back") {
    // The leases outlast the start of a server on a busy machine.
    zookeeper_server server{{.max_session_timeout_ms = 60'000}};
    const std::string path = "/locks/watched";
    const tool::options how{.servers = server.address()};
    const std::vector<std::string> watch{"leader", "--watch", "--timeout", "60s", path};
    tool people{watch, how};
    auto with_json = watch;
    with_json.emplace_back("--json");
    tool programs{with_json, how};
    const auto told = [&](std::size_t count) {
        await([&] { return objects_of(programs.output()).size() >= count; });
    };
    told(1);
    standing one{path, "first", how, "60s"};
    told(2);
    standing two{path, "second", how, "60s"};
    await([&] { return people.output().find(": first\n") != std::string::npos; });
    server.kill();
    server.start();
    one.end();
    // A server that starts may forget a connection. Then the ticket can stay until its session
    // ends.
    constexpr std::chrono::seconds longest{90};
    await([&] { return people.output().find(": second\n") != std::string::npos; }, longest);
    await([&] { return objects_of(programs.output()).back().value("value", "") == "second"; },
          longest);
    two.end();
    await([&] { return !objects_of(programs.output()).back()["leads"].get<bool>(); });
    for (auto* each : {&people, &programs}) {
        each->process().signal(SIGINT);
        CHECK(each->exit_code() == 0);
    }
    const auto all = objects_of(programs.output());
    CHECK(all.front()["leads"] == false);
    for (const auto& each : all)
        CHECK(each["time"].get<std::string>().ends_with("Z"));
    CHECK(people.output().find("  nobody leads " + path + '\n') != std::string::npos);
}

TEST_CASE("the nodes beside a lock path are taken for no locks and for no tickets") {
    const auto path = fresh_path("election");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    standing one{path + "/reports", "first"};
    await([&] { return one.leads(); });
    tool asks{{"yield", path + "/reports"}};
    for (const std::string each : {"%leader", "%once"})
        REQUIRE(other.create(path + "/reports" + each, "text") == 0);
    await([&] { return other.exists(path + "/reports%yield") == 0; });
    tool list{{"ls", "--json", path}};
    CHECK(list.exit_code() == 0);
    const auto found = json::parse(list.output())["locks"];
    REQUIRE(found.size() == 1);
    CHECK(found[0]["path"] == path + "/reports");
    tool show{{"show", path}};
    CHECK(show.exit_code() == 0);
    CHECK(show.output() == path + ": nobody holds it, 0 wait\n");
    for (const std::string each : {"/reports%leader", "/reports%once", "/reports%yield"}) {
        tool wrong{{"show", path + each}};
        CHECK(wrong.exit_code() == 120);
        CHECK(wrong.says("stands beside a lock"));
    }
}
