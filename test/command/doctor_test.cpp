// SPDX-License-Identifier: BSL-1.0
// What is wrong with servers is named, and so is what may not be seen.
#include "command/support/lock_path.hpp"
#include "command/support/parrot.hpp"
#include "command/support/tool.hpp"
#include "support/ensemble.hpp"
#include "support/foreign_client.hpp"
#include "support/frame_proxy.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>

using namespace turnstile::test;
using nlohmann::json;

namespace {

/// One run of the doctor. The session timeouts are long: a busy machine's answers are no fault.
struct diagnosis {
    explicit diagnosis(const std::string& servers, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"doctor", "--json"});
        tool doctor{more, {.servers = servers, .before = with_slow_names()}};
        code = doctor.exit_code();
        CHECK(doctor.said().empty());
        all = json::parse(doctor.output());
    }

    /// Whether there is one of this severity and check whose text has this part.
    bool has(const std::string& severity, const std::string& check, const std::string& part) const {
        CAPTURE(all.dump(1), severity, check, part);
        for (const auto& each : all["findings"])
            if (each["severity"] == severity && each["check"] == check &&
                each["text"].get<std::string>().find(part) != std::string::npos) {
                const bool fault = severity == "warning" || severity == "error";
                CHECK((!fault || each["advice"].get<std::string>().size() > 10));
                return true;
            }
        UNSCOPED_INFO(all.dump(1));
        return false;
    }

    int code = -1;
    json all{};
};

/// A node of which everybody has these rights.
std::string path_with(int permissions) {
    const auto path = fresh_path("doctor");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path, permissions);
    return path;
}

const std::string dead = "127.0.0.1:1";

} // namespace

TEST_CASE("a server that is well is told as such") {
    const diagnosis found{shared_server().address(),
                          {"--timeout", "15s", "--connect-timeout", "20s", path_with(31)}};
    CHECK(found.code == 0);
    CHECK(found.has("ok", "timeout", "15 s"));
    CHECK(found.has("ok", "latency", "answers within"));
    CHECK(found.has("note", "mode", "single server"));
    CHECK(found.has("ok", "version", "container nodes"));
    CHECK(found.has("ok", "watches", "usual"));
    CHECK(found.has("ok", "tick", "200 ms"));
    CHECK(found.has("ok", "connections", "any number"));
    CHECK(found.has("ok", "disk", "disk"));
    CHECK(found.has("ok", "rights", "allowed"));
    CHECK(found.has("ok", "clock", "evenly"));
    CHECK(found.has("ok", "proc", "can see"));
    CHECK(found.has("unknown", "jute.maxbuffer", "1 MiB"));
}

TEST_CASE("a server whose watch manager keeps deletions back is told as an error") {
    const zookeeper_server server{
        {.system_properties = {"zookeeper.watchManagerName="
                               "org.apache.zookeeper.server.watch.WatchManagerOptimized"}}};
    const diagnosis found{server.address(), {"--timeout", "4s", "--connect-timeout", "20s"}};
    CHECK(found.code == 2);
    CHECK(found.has("error", "watches", "zookeeper.watchManagerName"));
}

TEST_CASE("where nothing can be made beside a lock this is noted") {
    const auto path = fresh_path("doctor");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    REQUIRE(other.create(path + "/inner") == 0);
    const std::vector<std::string> options{"--timeout", "15s", "--connect-timeout", "20s",
                                           path + "/inner"};
    CHECK_FALSE(diagnosis{shared_server().address(), options}.has("note", "rights", "beside"));
    REQUIRE(other.set_acl(path, {{"world", "anyone", 31 & ~4}}) == 0);
    const diagnosis found{shared_server().address(), options};
    CHECK(found.code == 0);
    CHECK(found.has("ok", "rights", "allowed at " + path + "/inner"));
    CHECK(found.has("note", "rights",
                    "CREATE is denied at " + path + ", so nothing can be made beside a lock at"));
}

TEST_CASE("a tick that is stated too small is an error, and one too large is none") {
    const auto doctor = [](const char* tick) {
        return diagnosis{shared_server().address(),
                         {"--timeout", "15s", "--connect-timeout", "20s", "--tick", tick}};
    };
    const auto small = doctor("199ms");
    CHECK(small.code == 2);
    CHECK(small.has("error", "tick", "a tick of 200 ms, and 199 ms are stated"));
    const auto same = doctor("200ms");
    CHECK(same.code == 0);
    CHECK(same.has("ok", "tick", "200 ms"));
    CHECK(doctor("2s").code == 0);
}

TEST_CASE("a port where nothing listens, and one of another program, are told") {
    const diagnosis nobody{dead};
    CHECK(nobody.code == 2);
    CHECK(nobody.has("error", "reached", "Connection refused"));
    CHECK(nobody.has("unknown", "rights", "cannot be seen"));
    const parrot web{"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"};
    const diagnosis other{web.address()};
    CHECK(other.code == 2);
    CHECK(other.has("error", "reached", "'HTTP/1.1 400 Bad Request'"));
}

TEST_CASE("of a list one dead server is a warning") {
    const diagnosis found{shared_server().address() + "," + dead, {"--timeout", "15s"}};
    CHECK(found.code == 1);
    CHECK(found.has("warning", "reached", "Connection refused"));
    CHECK(found.has("ok", "timeout", "15 s"));
}

TEST_CASE("a server that is silent is told within the time") {
    zookeeper_server server;
    server.pause();
    const auto begun = std::chrono::steady_clock::now();
    const diagnosis found{server.address()};
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds{2});
    CHECK(found.code == 2);
    CHECK(found.has("error", "session", "grants no session"));
    CHECK(found.all.dump().find("or it is no ZooKeeper server") != std::string::npos);
    CHECK(found.has("unknown", "words", "does not answer"));
    server.resume();
}

TEST_CASE("a name whose look-up hangs is told in time, and holds up no other server") {
    const std::string hung = "after-30.turnstile.test:2181";
    const diagnosis alone{hung};
    CHECK(alone.code == 2);
    CHECK(alone.has("error", "reached", "its name was not looked up in time"));
    const diagnosis found{hung + ',' + shared_server().address(),
                          {"--timeout", "15s", "--connect-timeout", "8s"}};
    CHECK(found.code == 1);
    CHECK(found.has("warning", "reached", "its name was not looked up in time"));
    CHECK(found.has("ok", "version", "container nodes"));
    CHECK_FALSE(found.has("unknown", "words", ""));
}

TEST_CASE("session limits on both sides, and a long tick, are told") {
    const zookeeper_server high{{.tick_ms = 2'000, .min_session_timeout_ms = 20'000}};
    const diagnosis above{high.address(), {"--connect-timeout", "20s"}};
    CHECK(above.code == 1);
    CHECK(above.has("warning", "timeout", "20 s, and not the 15 s asked for: minSessionTimeout"));
    const zookeeper_server low{
        {.tick_ms = 2'000, .min_session_timeout_ms = 3'000, .max_session_timeout_ms = 6'000}};
    const diagnosis below{low.address(), {"--connect-timeout", "20s"}};
    CHECK(below.has("warning", "timeout", "6 s, and not the 15 s asked for: maxSessionTimeout"));
    CHECK(below.has("warning", "tick", "less than four ticks"));
    CHECK(below.has("warning", "tick", "allows session timeouts of 3 s"));
    CHECK(diagnosis{low.address(), {"--timeout", "3s", "--connect-timeout", "20s"}}.has(
        "error", "tick", "of 3 s is less"));

    const diagnosis both{high.address() + "," + low.address(), {"--connect-timeout", "20s"}};
    CHECK(both.code == 2);
    CHECK(both.has("error", "ensemble", "not servers of one ensemble"));
    CHECK(both.has("warning", "alike", "maxSessionTimeout"));
}

TEST_CASE("each right that is missing is told") {
    const auto rights_at = [](const std::string& path) {
        return diagnosis{shared_server().address(),
                         {"--timeout", "15s", "--connect-timeout", "20s", path}};
    };
    const auto create = rights_at(path_with(31 & ~4));
    CHECK(create.code == 2);
    CHECK(create.has("error", "rights", "CREATE is denied"));
    CHECK(create.has("unknown", "rights", "DELETE is unknown"));
    CHECK(rights_at(path_with(31 & ~8)).has("error", "rights", "DELETE is denied"));
    CHECK(rights_at(path_with(31 & ~1)).has("error", "rights", "READ is denied"));
    CHECK(rights_at(path_with(31 & ~2)).has("error", "rights", "WRITE is denied"));
    const auto path = fresh_path("doctor");
    const auto missing = rights_at(path + "/deploy");
    CHECK(missing.code == 0);
    CHECK(missing.has("ok", "rights", path + "/deploy is not there yet"));
    CHECK(tickets(path).empty());
}

TEST_CASE(
    "the servers of an ensemble are told as one, and one that is named twice is counted once") {
    ensemble servers{{.server = {.max_session_timeout_ms = 40'000}}};
    // Servers that have just started are slow.
    const std::vector<std::string> patient{"--timeout", "15s", "--connect-timeout", "20s"};
    const diagnosis whole{servers.connect_string(), patient};
    CAPTURE(whole.all.dump(1));
    CHECK(whole.code == 0);
    CHECK(whole.has("ok", "ensemble", "are one ensemble"));
    CHECK(whole.has("ok", "mode", "is a leader"));
    CHECK(whole.has("ok", "mode", "is a follower"));
    const diagnosis part{servers.addresses()[0], patient};
    CHECK(part.has("note", "list", "3 members, and the list names 1"));
    const auto first = ":" + std::to_string(servers.server(0).port());
    const diagnosis found{"127.0.0.1" + first + ",localhost" + first + ',' + servers.addresses()[1],
                          patient};
    CHECK(found.code == 1);
    CHECK(found.has("warning", "list", "are one server"));
    CHECK(found.has("note", "list", "3 members, and the list names 2"));
    CHECK(found.has("ok", "ensemble", "are one ensemble"));
}

TEST_CASE("the list is compared with the ensemble's own configuration") {
    ensemble servers{{.server = {.max_session_timeout_ms = 40'000}, .changes = true}};
    const std::vector<std::string> patient{"--timeout", "15s", "--connect-timeout", "20s"};
    const auto removed = servers.followers().front();
    const auto all = servers.addresses();
    const auto one = all[(removed + 1) % 3];
    const auto two = all[(removed + 2) % 3];
    const diagnosis short_list{one + ',' + two, patient};
    CHECK(short_list.code == 0);
    CHECK(short_list.has("note", "list",
                         "3 members, and the list names 2: it lacks " + all[removed]));
    {
        foreign_client admin{one};
        REQUIRE(admin.remove_members(std::to_string(removed + 1)) == 0);
    }
    const auto gone = all[removed] + ": not in the ensemble's own configuration";
    SECTION("a server that was removed and goes on") {
        const diagnosis found{servers.connect_string(), patient};
        CHECK(found.code == 1);
        CHECK(found.has("warning", "list", gone));
        CHECK(found.has("ok", "ensemble", "are one ensemble"));
        const diagnosis with_one{one + ',' + all[removed], patient};
        CHECK(with_one.has("warning", "list", gone));
        CHECK(with_one.has("note", "list", "2 members, and the list names 1: it lacks " + two));
    }
    SECTION("one that was removed and stopped") {
        servers.kill(removed);
        const std::vector<std::string> brief{"--timeout", "15s", "--connect-timeout", "5s"};
        const diagnosis found{servers.connect_string(), brief};
        CHECK(found.code == 1);
        CHECK(found.has("warning", "list", gone));
        const diagnosis unknown{one + ',' + all[removed], brief}; // it may be the other one
        CHECK(unknown.all.dump().find("own configuration") == std::string::npos);
    }
    SECTION("a list that is right") {
        const diagnosis found{one + ',' + two, patient};
        CHECK(found.code == 0);
        CHECK(found.all.dump().find("\"list\"") == std::string::npos);
    }
}

TEST_CASE("a server that makes local sessions only is named as such") {
    ensemble servers{{.server = {.max_session_timeout_ms = 40'000,
                                 .config_lines = {"localSessionsEnabled=true"}}}};
    const auto leads = servers.leader();
    for (const auto which : {leads, (leads + 1) % 3}) {
        CAPTURE(which, leads);
        const diagnosis found{servers.addresses()[which],
                              {"--timeout", "4s", "--connect-timeout", "20s"}};
        CHECK(found.code == 2);
        CHECK(found.has("error", "write", "localSessionsUpgradingEnabled"));
    }
}

TEST_CASE("a quota that forbids a node is named as such") {
    const zookeeper_server server{
        {.max_session_timeout_ms = 40'000, .system_properties = {"zookeeper.enforceQuota=true"}}};
    foreign_client other{server.address()};
    REQUIRE(other.create("/locks") == 0);
    REQUIRE(other.create("/zookeeper/quota/locks") == 0);
    REQUIRE(other.create("/zookeeper/quota/locks/zookeeper_limits",
                         "count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=1") == 0);
    REQUIRE(other.create("/zookeeper/quota/locks/zookeeper_stats", "count=1,bytes=0") == 0);
    const diagnosis found{server.address(), {"--timeout", "15s", "--connect-timeout", "20s"}};
    CHECK(found.code == 2);
    CHECK(found.has("error", "write", "quota"));
    tool one{{"run", "/locks/b", "--", "true"}, {.servers = server.address()}};
    CHECK(one.exit_code() == 124);
    CHECK(one.says("quota"));
}

TEST_CASE("a write that is not answered in time is told as such") {
    frame_proxy proxy{shared_server().port()};
    const auto writes = proxy.add_rule({.op = op::multi, .times = 0, .action = action::hold});
    const diagnosis found{proxy.address(), {"--timeout", "15s"}};
    CHECK(proxy.hits(writes) > 0);
    CHECK(found.code == 1);
    CHECK(found.has("warning", "latency", "did not answer a few writes in time"));
    CHECK_FALSE(found.has("error", "write", ""));
}

TEST_CASE("a server that has one connection left is looked at by that one") {
    zookeeper_server server{{.max_session_timeout_ms = 40'000,
                             .config_lines = {"4lw.commands.whitelist=*", "maxClientCnxns=2"}},
                            zookeeper_server::not_started};
    server.launch();
    const std::vector<std::string> patient{"--timeout", "15s", "--connect-timeout", "20s"};
    std::optional<foreign_client> other;
    await([&] { // its own look at the server takes a connection, too
        return diagnosis{server.address(), patient}.code == 0;
    });
    other.emplace(server.address());
    const diagnosis found{server.address(), patient};
    CHECK(found.code == 0);
    CHECK(found.has("ok", "timeout", "15 s"));
    CHECK(found.has("ok", "connections", "allows 2 connections from a host, and has 1 from here"));
    const foreign_client third{server.address()};
    tool show{{"show", "--connect-timeout", "1s", "/locks/a"}, {.servers = server.address()}};
    CHECK(show.exit_code() == 121);
    CHECK(show.says("maxClientCnxns of its zoo.cfg may be reached"));
}

TEST_CASE("connections from this host are counted by IPv6, too") {
    zookeeper_server_options how;
    how.host = "::1";
    how.max_session_timeout_ms = 40'000;
    how.config_lines = {"4lw.commands.whitelist=*", "maxClientCnxns=9"};
    const zookeeper_server server{how};
    const foreign_client other{server.address()}; // "::1:PORT", as the C client writes it
    const diagnosis found{"[::1]:" + std::to_string(server.port()),
                          {"--timeout", "15s", "--connect-timeout", "20s"}};
    CHECK(found.has("ok", "connections", "allows 9 connections from a host, and has 1 from here"));
}

TEST_CASE("a file with identities that everybody can read is told") {
    const temp_folder folder{"turnstile-identities-"};
    const auto file = folder.path() / "identities";
    std::ofstream{file} << "digest alice:secret\n";
    const std::vector<std::string> more{"--timeout", "15s",         "--connect-timeout",
                                        "20s",       "--auth-file", file.string()};
    using std::filesystem::perms;
    std::filesystem::permissions(file, perms::owner_read | perms::others_read);
    CHECK(diagnosis{shared_server().address(), more}.has("note", "identities", "can read"));
    std::filesystem::permissions(file, perms::owner_read);
    CHECK_FALSE(diagnosis{shared_server().address(), more}.has("note", "identities", "can read"));
}

TEST_CASE("a chroot that is missing is told") {
    const diagnosis chroot{shared_server().address() + "/nowhere"};
    CHECK(chroot.code == 2);
    CHECK(chroot.has("error", "session", "/nowhere"));
}

TEST_CASE("where the four-letter words are not allowed, this is said, and the rest is checked") {
    zookeeper_server shut{{.max_session_timeout_ms = 40'000,
                           .config_lines = {"4lw.commands.whitelist=ruok", "maxClientCnxns=60"}},
                          zookeeper_server::not_started};
    shut.launch();
    CHECK(tool{{"show", "--connect-timeout", "60s", "/locks/a"}, {.servers = shut.address()}}
              .exit_code() == 0);
    const diagnosis found{shut.address(), {"--timeout", "15s", "--connect-timeout", "20s"}};
    CHECK(found.code == 0);
    CHECK(found.has("note", "mode", "single server")); // `srvr` is always allowed
    CHECK(found.has("unknown", "tick", "does not tell its tickTime"));
    CHECK(found.has("unknown", "connections", "does not tell"));
    CHECK(found.has("unknown", "disk", "does not tell"));
    CHECK(found.has("ok", "timeout", "15 s"));
    CHECK(found.has("ok", "rights", "may be created"));
    const zookeeper_server half{{.max_session_timeout_ms = 40'000,
                                 .config_lines = {"4lw.commands.whitelist=srvr,conf"
                                                  "\nmaxClientCnxns=60"}}};
    const diagnosis some{half.address(), {"--timeout", "15s", "--connect-timeout", "20s"}};
    CHECK(some.has("unknown", "connections", "allows 60"));
    CHECK(some.has("unknown", "disk", "does not tell"));
}

TEST_CASE("a person reads it in lines, with what to change below each fault") {
    tool doctor{{"doctor"}, {.servers = dead}};
    CHECK(doctor.exit_code() == 2);
    CHECK(doctor.output().starts_with("  ERROR    127.0.0.1:1  cannot be reached: "));
    CHECK(doctor.output().find("\n             -> Start a server there") != std::string::npos);
    CHECK(doctor.output().find("\nerrors: 1, warnings: 0, ") != std::string::npos);
}
