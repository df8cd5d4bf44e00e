// SPDX-License-Identifier: BSL-1.0
// Who holds a lock and who waits, for people and for programs.
#include "command/support/lock_path.hpp"
#include "command/support/parrot.hpp"
#include "command/support/terminal.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/zookeeper_server.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <sstream>
#include <utility>

using namespace turnstile::test;
using nlohmann::json;

namespace {

json shown(const std::string& path, const tool::options& how = {}) {
    tool show{{"show", "--json", path}, how};
    CHECK(show.exit_code() == 0);
    CHECK(show.said().empty());
    return json::parse(show.output());
}

} // namespace

TEST_CASE("the line is told with state, mode, host, process, label and age") {
    const auto path = fresh_path("show");
    lock_holder holder{path, {"--label", "nightly"}};
    tool waiter{run_script(path, "true", {"--shared"})};
    await([&] { return tickets(path).size() == 2; });

    const auto found = shown(path);
    CHECK(found["path"] == path);
    CHECK(found["holders"] == 1);
    CHECK(found["waiters"] == 1);
    CHECK_FALSE(found.contains("limit"));
    REQUIRE(found["line"].size() == 2);
    const auto& first = found["line"][0];
    CHECK(first["ticket"] == tickets(path)[0]);
    CHECK(first["state"] == "holds");
    CHECK(first["mode"] == "exclusive");
    CHECK(first["library"] == "Turnstile");
    CHECK(first["pid"] == holder.process().pid());
    CHECK(first["host"].get<std::string>().size() > 0);
    CHECK(first["label"] == "nightly");
    CHECK(first["known"] == "answered");
    CHECK(first["age_ms"].is_number());
    CHECK(found["line"][1]["state"] == "waits");
    CHECK(found["line"][1]["mode"] == "shared");

    tool table{{"show", path}};
    CHECK(table.exit_code() == 0);
    CHECK(table.output().starts_with(path + ": held by 1, 1 wait\n"));
    CHECK(table.output().find("\n     STATE  MODE       HOST ") != std::string::npos);
    CHECK(table.output().find("  LABEL    IN LINE FOR  LIBRARY    TICKET\n") != std::string::npos);
    CHECK(table.output().find("\n  1  holds  exclusive  ") != std::string::npos);
    CHECK(table.output().find("\n  2  waits  shared     ") != std::string::npos);
    holder.process().signal(SIGTERM);
    CHECK(waiter.exit_code() == 0);
}

TEST_CASE("tickets of other libraries are told by their names, and cannot steer a terminal") {
    const auto path = fresh_path("show");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    for (const auto* name :
         {"/_c_2d1b6ee8-1f0c-4a52-9d3f-0a6f3ee0c1a2-lock-", "/f00d__lock__", "/f00d__rlock__",
          "/x-72057594037927936-", "/my-lock-", "/_c_2d1b6ee81f0c4a529d3f0a6f3ee0c1a2-lock-"})
        REQUIRE(other.create(path + name, "10.0.0.7\x1b[2J\xff",
                             create_mode::ephemeral_sequential) == 0);
    const auto line = shown(path)["line"];
    std::vector<std::string> libraries;
    for (const auto& each : line)
        libraries.push_back(each["library"]);
    CHECK(libraries == std::vector<std::string>{"Curator", "Kazoo", "Kazoo", "ZooKeeper's recipe",
                                                "another program", "go-zookeeper"});
    CHECK(line[0]["state"] == "holds");
    CHECK(line[0]["pid"].is_null());
    CHECK(line[2]["mode"] == "shared");
    tool table{{"show", path}};
    CHECK(table.exit_code() == 0);
    CHECK(table.output().find("10.0.0.7?[2J") != std::string::npos);
    CHECK(table.output().find('\x1b') == std::string::npos);
}

TEST_CASE("a node that goes with no session is told as a stray, and can be deleted") {
    const auto path = fresh_path("show");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    REQUIRE(other.create(path + "/turn-1-lock-0000000000") == 0);
    REQUIRE(other.create(path + "/holder") == 0);
    REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    const auto found = shown(path);
    CHECK(found["holders"] == 1);
    CHECK(found["waiters"] == 0);
    REQUIRE(found["line"].size() == 3);
    CHECK(found["line"][0]["state"] == "holds");
    CHECK(found["line"][1]["state"] == "stray");
    CHECK(found["line"][2]["state"] == "stray");
    CHECK(found["line"][2]["library"] == "another program");
    tool table{{"show", path}};
    CHECK(table.exit_code() == 0);
    CHECK(table.output().starts_with(path + ": held by 1, 0 wait, 2 go with no session\n"));
    tool breaks{{"break", "--yes", "--ticket", "holder", path}};
    CHECK(breaks.exit_code() == 0);
    CHECK(breaks.output() == path + ": the ticket holder of no session is gone\n");
    CHECK(shown(path)["line"].size() == 2);
}

TEST_CASE("a label cannot steer a terminal, and other alphabets are shown") {
    const auto path = fresh_path("show");
    const std::string label = "a\xc2\x9b"
                              "31m \xe2\x80\xae"
                              "b caf\xc3\xa9";
    lock_holder holder{path, {"--label", label}};
    CHECK(shown(path)["line"][0]["label"] == label);
    tool table{{"show", path}};
    CHECK(table.exit_code() == 0);
    CHECK(table.output().find(" a?31m ?b caf\xc3\xa9 ") != std::string::npos);
    for (const auto& arguments :
         {std::vector<std::string>{"show", "--json", path}, {"ls", path}, {"ls", "--json", path}}) {
        tool one{arguments};
        CHECK(one.exit_code() == 0);
        CHECK(one.output().find("31m") != std::string::npos);
        CHECK(one.output().find("\xc2\x9b") == std::string::npos);
        CHECK(one.output().find("\xe2\x80\xae") == std::string::npos);
    }
    terminal screen{200};
    tool watcher{{"watch", path}};
    tool waiter{run_script(path, "true"), {.errors_to = screen.name()}};
    terminal question{200};
    tool breaks{{"break", path}, {.input = question.inside()}};
    await([&] {
        const auto told = [](const std::string& text) {
            return text.find("a?31m ?b caf\xc3\xa9") != std::string::npos;
        };
        return told(watcher.output()) && told(screen.screen()) && told(breaks.said());
    });
    for (const auto& text : {watcher.output(), screen.screen(), breaks.said()}) {
        CHECK(text.find("\xc2\x9b") == std::string::npos);
        CHECK(text.find("\xe2\x80\xae") == std::string::npos);
    }
}

TEST_CASE("a table has columns, however wide its characters are, and cuts long names") {
    const auto path = fresh_path("show");
    const std::string wide = "\u591c\u9593"; // two characters of two columns each
    lock_holder one{path, {"--label", "a"}};
    tool two{run_script(path, "true", {"--label", wide})};
    await([&] { return tickets(path).size() == 2; });
    tool three{run_script(path, "true", {"--label", "e\u0301"})}; // the second one has no width
    await([&] { return tickets(path).size() == 3; });
    const auto rows = [&] {
        tool table{{"show", path}};
        CHECK(table.exit_code() == 0);
        std::vector<std::string> result;
        std::istringstream in{table.output()};
        for (std::string line; std::getline(in, line);)
            result.push_back(line);
        return result;
    };
    const auto narrow = rows();
    REQUIRE(narrow.size() == 5);
    // Between label and library there is but the age, which all have in this form.
    CHECK(narrow[2].find("  a      ") != std::string::npos);
    CHECK(narrow[3].find("  " + wide + "   ") != std::string::npos);
    CHECK(narrow[4].find("  e\u0301      ") != std::string::npos);
    const auto at = narrow[2].find("Turnstile");
    CHECK(narrow[3].find("Turnstile") == at + 6 - 4); // bytes, less columns
    CHECK(narrow[4].find("Turnstile") == at + 3 - 1);
    tool four{run_script(path, "true", {"--label", std::string(60, 'l') + wide})};
    await([&] { return tickets(path).size() == 4; });
    CHECK(rows().back().find("  " + std::string(57, 'l') + "...  ") != std::string::npos);
    CHECK(shown(path)["line"].back()["label"] == std::string(60, 'l') + wide);
    for (auto* each : {&two, &three, &four})
        each->end();
}

TEST_CASE("a lock that nobody uses is told as such") {
    const auto path = fresh_path("show");
    CHECK(shown(path)["line"].empty());
    tool table{{"show", path}};
    CHECK(table.exit_code() == 0);
    CHECK(table.output() == path + ": nobody holds it, 0 wait\n");
    CHECK(tickets(path).empty());
}

TEST_CASE("a line of ten thousand is shown by one listing, within two seconds") {
    const auto path = fresh_path("show");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    for (int i = 0; i < 10'000; ++i)
        REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    frame_proxy proxy{shared_server().port()};
    const auto listings = proxy.add_rule({.op = op::get_children2, .times = 0});
    const auto begun = std::chrono::steady_clock::now();
    tool table{{"show", path}, {.servers = proxy.address()}};
    CHECK(table.exit_code() == 0);
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{2});
    CHECK(table.output().starts_with(path + ": held by 1, 9999 wait\n"));
    CHECK(table.output().ends_with("  and 9950 more (see --most)\n"));
    CHECK(proxy.wait_until_hit(listings));
    CHECK(proxy.hits(listings) == 1);
}

TEST_CASE("a ticket whose session the leader does not know any more is told as such") {
    // Only the parrot tells of sessions; that of the ticket may end before it does.
    const zookeeper_server silent{{.config_lines = {"4lw.commands.whitelist=srvr"}}};
    const auto path = fresh_path("show");
    foreign_client other{silent.address()};
    bool ends = false;
    const parrot forgetful{[&] {
        if (std::exchange(ends, false))
            other.close();
        return std::string("Session Sets (0)/(0):\nephemeral nodes dump:\n");
    }};
    make_lock_path(other, path);
    REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    for (const bool asked : {false, true}) {
        CAPTURE(asked);
        const auto servers = silent.address() + (asked ? ',' + forgetful.address() : "");
        CHECK(shown(path, {.servers = servers})["line"][0].contains("session_over") == asked);
        tool table{{"show", path}, {.servers = servers}};
        CHECK(table.exit_code() == 0);
        CHECK((table.output().find("  f00d__lock__0000000000: its session is over") !=
               std::string::npos) == asked);
    }
    ends = true;
    CHECK(shown(path, {.servers = silent.address() + ',' + forgetful.address()})["line"].empty());
    CHECK_FALSE(ends);
}

TEST_CASE("a ticket whose session the leader knows is not told as left over") {
    const auto path = fresh_path("show");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    REQUIRE(other.create(path + "/f00d__lock__", "", create_mode::ephemeral_sequential) == 0);
    CHECK_FALSE(shown(path)["line"][0].contains("session_over"));
}
