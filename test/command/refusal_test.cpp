// SPDX-License-Identifier: BSL-1.0
// What the command says and gives where it cannot run the program.
#include "command/support/lock_path.hpp"
#include "command/support/tool.hpp"
#include "support/foreign_client.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

using namespace turnstile::test;

namespace {

/// It says so, in three lines at most, and gives this code.
void check_refused(tool&& one, int code, const std::string& what) {
    CHECK(one.exit_code() == code);
    const auto said = one.said();
    CAPTURE(said);
    CHECK(said.starts_with("turnstile: "));
    CHECK(said.find(what) != std::string::npos);
    const auto lines = std::ranges::count(said, '\n');
    CHECK(lines >= 1);
    CHECK(lines <= 3);
    CHECK(one.output().empty());
}

} // namespace

TEST_CASE("a wrong or empty variable of the environment is named, and not its option") {
    const auto path = fresh_path("refusal");
    const auto with = [&](const std::string& variable, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"show", path});
        return tool{more, {.before = {"env", variable}}};
    };
    for (const auto& [variable, what] : std::vector<std::pair<std::string, std::string>>{
             {"TURNSTILE_TICK=often", "TURNSTILE_TICK: 'often' is no duration"},
             {"TURNSTILE_TLS=perhaps", "TURNSTILE_TLS"},
             {"TURNSTILE_SASL=plain", "TURNSTILE_SASL: plain not in"},
             {"TURNSTILE_SASL_KEYTAB=/no/such", "TURNSTILE_SASL_KEYTAB"},
             {"TURNSTILE_TLS_CA=/no/such", "TURNSTILE_TLS_CA"},
             {"TURNSTILE_SERVERS=a b", "TURNSTILE_SERVERS"},
             {"TURNSTILE_SERVERS=", "TURNSTILE_SERVERS in the environment: its value is empty"},
             {"TURNSTILE_TLS_CA=", "TURNSTILE_TLS_CA in the environment: its value is empty"},
             {"TURNSTILE_TICK=", "TURNSTILE_TICK in the environment: its value is empty"}}) {
        CAPTURE(variable);
        check_refused(with(variable), 120, what);
    }
    // An argument stands in place of the variable, and a wrong one is named itself.
    const std::vector<std::string> servers{"--server", shared_server().address()};
    CHECK(with("TURNSTILE_SERVERS=", servers).exit_code() == 0);
    check_refused(with("TURNSTILE_TICK=2s", {"--tick", "often"}), 120, "--tick: 'often'");
}

TEST_CASE("a wrong option or argument is named, and nothing is done") {
    const auto path = fresh_path("refusal");
    const std::vector<std::pair<std::vector<std::string>, std::string>> all{
        {{}, "a command is missing"},
        {{"fly"}, "there is no command 'fly'"},
        {{"fly", "--help"}, "there is no command 'fly'"},
        {{"help", "fly"}, "there is no command 'fly'"},
        {{"-V"}, "there is no option '-V'"},
        {{"-v", "show", path}, "write -v after the command: turnstile show -v\n"},
        {{"run", path}, "command after the path"},
        {{"run", path, "ls", "-l", "."}, "'ls' is one argument too many: write -- before"},
        {{"run", "--speed", path, "--", "true"}, "there is no option '--speed'"},
        {{"run", "-w", "5", path, "--", "true"}, "there is no option '-w'"},
        {{"show", path, "--", "x"}, "'x' is one argument too many\n"},
        {{"break", "--yes", path, "--", "--ticket"}, "'--ticket' is one argument too many\n"},
        {{"run", "--wait", "5x", path, "--", "true"}, "'5x'"},
        {{"run", "--wait", "5s", "--no-wait", path, "--", "true"}, "--wait"},
        {{"run", "--wait", "99999999999999d", path, "--", "true"}, "'99999999999999d' is too long"},
        {{"run", "--wait", "99999999999999999999s", path, "--", "true"}, "s' is too long"},
        {{"run", "--wait", "366d", path, "--", "true"}, "--wait: '366d' is too long"},
        {{"run", "--wait", "-1s", path, "--", "true"}, "'-1s' is too short"},
        {{"run", "--timeout", "60s", "--grace", "10m", path, "--", "true"},
         "--grace 10m is too long for --timeout 1m\n"},
        {{"watch", "--every", "0s", path}, "'0s' is too short: write 100ms at least"},
        {{"show", "--most", "-1", path}, "-1"},
        {{"ls", "--most", "0", path}, "'0' is no number from 1 to 1000000000"},
        {{"run", "--permits", "0", path, "--", "true"}, "--permits"},
        {{"run", "locks/deploy", "--", "true"}, "\"locks/deploy\""},
        {{"run", "--server", "a b", path, "--", "true"}, "a b"},
        {{"doctor", "--server", "a b"}, "a b"},
        {{"run", "--server", "a/app,b/app", path, "--", "true"},
         "the chroot stands once, at the end"},
        {{"doctor", "--server", "a/app,b/app"}, "the chroot stands once, at the end"},
        {{"show", "--server", "zk://a", path}, "\"zk://\" is not needed"},
        {{"ls", "--server", "a, b"}, "blank"},
        {{"watch", "--server", "a;b", path}, "not by ';'"},
        {{"limit", "--server", "a,,b", path}, "a comma too many"},
        {{"break", "--server", "2181", path}, "is no host"},
        {{"show", "--server", "a:", path}, "has no port behind its colon"},
        {{"show", "--server", "::1", path}, "in brackets"},
        {{"run", "--timeout", "1ms", path, "--", "true"},
         "--timeout: '1ms' is too short: write 200ms at least\n"},
        {{"show", "--timeout", "2h", path}, "--timeout: '2h' is too long: write 1h at most\n"},
        {{"run", "--grace", "1h", path, "--", "true"}, "--grace: '1h' is too long: write 899s"},
        {{"show", "--connect-timeout", "0s", path}, "--connect-timeout: '0s' is too short"},
        {{"run", "--timeout", "4s", "--grace", "2s", path, "--", "true"}, "--grace 2s is"},
        {{"run", "--auth-file", "/no/such", path, "--", "true"}, "'/no/such'"}};
    for (const auto& [arguments, what] : all)
        check_refused(tool{arguments}, 120, what);
    // As a secret of Kubernetes, or an --env-file of docker, may have them.
    check_refused(tool{{"run", path, "--", "true"}, {.servers = "a:2181\n"}}, 120,
                  "at its beginning or end");
    check_refused(tool{{"show", path}, {.servers = "\"a:2181\""}}, 120, "quotes");
}

TEST_CASE("a number is written in decimal digits, and nothing else is taken for one") {
    const auto path = fresh_path("refusal");
    for (const std::string wrong : {"0x10", "+3", " 3", "3 ", "3.0", "1e2", "4294967296"}) {
        CAPTURE(wrong);
        for (const auto& arguments :
             std::vector<std::vector<std::string>>{{"limit", path, wrong},
                                                   {"show", "--most", wrong, path},
                                                   {"ls", "--most", wrong, path},
                                                   {"run", "--permits", wrong, path, "--", "true"},
                                                   {"hold", "-E", wrong, path}})
            check_refused(tool{arguments}, 120, '\'' + wrong + "' is no number from ");
    }
    for (const std::string wrong : {"0x10s", "+3s", " 3s", "3 s", "3.5s"})
        check_refused(tool{{"run", "--wait", wrong, path, "--", "true"}}, 120,
                      "--wait: '" + wrong + "' is no duration");
    for (const std::string wrong : {"0x885", "+2181", " 2181"})
        check_refused(tool{{"show", "--server", "127.0.0.1:" + wrong, path}}, 120, wrong);
    tool limit{{"limit", path, "010"}};
    CHECK(limit.exit_code() == 0);
    CHECK(limit.output() == path + ": at most 10 at a time\n");
}

TEST_CASE("a value that is empty, as of a variable that is not set, is refused") {
    const auto path = fresh_path("refusal");
    CHECK(tool{{"limit", path, "2"}}.exit_code() == 0);
    tool holder{
        run_script(path, "echo pid $$; exec sleep 1000", {"--permits", "1", "--label", ""})};
    (void)holder.number_after("pid ");
    const std::vector<std::pair<std::vector<std::string>, std::string>> all{
        {{"break", "--yes", "--ticket", "", path}, "--ticket"},
        {{"show", "--server", "", path}, "--server"},
        {{"show", "--auth-file", "", path}, "--auth-file"},
        {{"ls", ""}, "PATH"},
        {{"ls", "--most", ""}, "--most"},
        {{"limit", path, ""}, "N"},
        {{"run", "--permits", "", path, "--", "true"}, "--permits"},
        {{"run", "--wait", "", path, "--", "true"}, "--wait"},
        {{"completion", ""}, "SHELL"}};
    for (const auto& [arguments, option] : all)
        check_refused(tool{arguments}, 120, option + ": its value is empty\n");
    check_refused(tool{{"break", "--yes", ""}}, 120, "PATH");
    for (const std::string option : {"--ticket", "--server", "--timeout"})
        check_refused(tool{{"break", "--yes", option + '=', path}}, 120,
                      option + ": its value is empty\n");
    CHECK(is_alive(holder.process().pid()));
    holder.end();
}

TEST_CASE("nothing behind the equals sign of an option is its empty value") {
    const auto path = fresh_path("refusal");
    const auto label_with = [&](const std::vector<std::string>& options) {
        lock_holder holder{path, options};
        tool show{{"show", "--json", path}};
        CHECK(show.exit_code() == 0);
        holder.end();
        return nlohmann::json::parse(show.output())["line"][0]["label"].get<std::string>();
    };
    CHECK(label_with({"--label="}).empty());
    CHECK(label_with({"--label", "--wait="}) == "--wait="); // itself a value
    tool program{{"run", path, "--", "echo", "--label="}};
    CHECK(program.exit_code() == 0);
    CHECK(program.output() == "--label=\n");
}

TEST_CASE("the rule that a path breaks is told, and a long path is not repeated in full") {
    const std::vector<std::pair<std::string, std::string>> all{
        {"locks", "does not begin with a slash"},
        {"/", "is the root"},
        {"/locks/", "ends with a slash"},
        {"/locks//a", "a part of it is empty"},
        {"/locks/../a", "'.' or '..'"},
        {"/locks/\xf0\x9f\x98\x80", "such as an emoji"},
        {"/locks/\xff", "\"/locks/?\" is a bad lock path: it is no UTF-8"},
        {"/locks/a\x1b", "control character"},
        {"/zookeeper/quota", "/zookeeper is the servers' own"},
        {"/locks/" + std::string(5'000, 'a'), "longer than 1024 bytes"}};
    for (const auto& [path, rule] : all) {
        check_refused(tool{{"show", path}}, 120, rule);
        tool one{{"run", path, "--", "true"}};
        CHECK(one.exit_code() == 120);
        CHECK(one.said().size() < 500);
        CHECK(one.said().find('\x1b') == std::string::npos);
    }
}

TEST_CASE("a wrong path is told before a server is looked for") {
    const std::vector<std::vector<std::string>> all{{"run", "locks", "--", "true"},
                                                    {"show", "locks"},
                                                    {"ls", "locks"},
                                                    {"watch", "locks"},
                                                    {"limit", "locks"},
                                                    {"limit", "locks", "2"},
                                                    {"break", "--yes", "locks"},
                                                    {"doctor", "locks"},
                                                    {"show", "/"},
                                                    {"ls", "/locks/"},
                                                    {"doctor", "/zookeeper/a"},
                                                    {"show", "/zookeeper"}};
    for (auto arguments : all) {
        CAPTURE(arguments);
        arguments.insert(arguments.begin() + 1,
                         {"--server", "127.0.0.1:1", "--connect-timeout", "1h"});
        check_refused(tool{arguments}, 120, "is a bad lock path: ");
    }
}

TEST_CASE("a server that does not answer is named") {
    const auto path = fresh_path("refusal");
    check_refused(
        tool{{"run", "--server", "127.0.0.1:1", "--connect-timeout", "300ms", path, "--", "true"}},
        121, "127.0.0.1:1: Connection refused");
}

TEST_CASE("a server that refuses says what is missing") {
    const auto path = fresh_path("refusal");
    check_refused(tool{run_script(path, "true", {"--permits", "2"})}, 124,
                  "turnstile limit " + path + " N");
    check_refused(
        tool{run_script(path, "true", {"--server", shared_server().address() + "/nowhere"})}, 124,
        "/nowhere' does not exist");
    check_refused(tool{run_script("/zookeeper/quota", "true")}, 120, "\"/zookeeper/quota\"");
    for (const auto* each : {"show", "ls", "watch", "limit", "break"})
        check_refused(tool{{each, path}, {.servers = shared_server().address() + "/nowhere"}}, 124,
                      "/nowhere' does not exist");
}

TEST_CASE("a lock at or below an ephemeral node is refused in words") {
    const auto path = fresh_path("refusal");
    foreign_client other{shared_server().address()};
    other.create("/locks");
    REQUIRE(other.create(path, "", create_mode::ephemeral) == 0);
    check_refused(tool{run_script(path, "true")}, 124, "a node on the path is ephemeral");
    check_refused(tool{run_script(path + "/a", "true")}, 124, "a node on the path is ephemeral");
    check_refused(tool{{"limit", path + "/a", "2"}}, 124, "a node on the path is ephemeral");
}

TEST_CASE("a right that is missing is told with the node that denies it") {
    const auto path = fresh_path("refusal");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path, 31 & ~4);
    const auto what = "denies the right CREATE at " + path + '\n';
    check_refused(tool{run_script(path, "true")}, 124, what);
    check_refused(tool{run_script(path + "/a/b", "true")}, 124, what);
    check_refused(tool{{"limit", path + "/a", "2"}}, 124, what);

    const auto closed = fresh_path("refusal");
    REQUIRE(other.create(closed) == 0);
    REQUIRE(other.set_acl(closed, {{"world", "anyone", 31 & ~1}}) == 0);
    for (const auto* each : {"show", "break", "ls", "watch"}) {
        tool one{{each, closed}};
        CHECK(one.exit_code() == 124);
        CHECK(one.says("denies the right READ at " + closed + '\n'));
        CHECK_FALSE(one.says("  "));
    }
}

TEST_CASE("a node with data of its own is no path of a lock, and keeps the data") {
    const auto path = fresh_path("refusal");
    foreign_client other{shared_server().address()};
    make_lock_path(other, path);
    REQUIRE(other.set(path, "mine") == 0);
    const auto what = path + " has data of its own";
    check_refused(tool{run_script(path, "true")}, 124, what);
    check_refused(tool{run_script(path, "true", {"--no-wait"})}, 124, what);
    check_refused(tool{run_script(path, "true", {"--shared"})}, 124, what);
    check_refused(tool{{"limit", path, "2"}}, 124, what);
    REQUIRE(other.create(path + "/queue") == 0); // as what is left of a semaphore
    check_refused(tool{{"limit", "--remove", path}}, 124, what);
    CHECK(other.exists(path + "/queue") == 0);
    std::string now;
    CHECK(other.get(path, &now) == 0);
    CHECK(now == "mine");
}

TEST_CASE("a file with identities that has none is named, and no secret is shown") {
    const temp_folder folder{"turnstile-identities-"};
    const auto file = (folder.path() / "identities").string();
    const auto path = fresh_path("refusal");
    std::ofstream{file} << "# nobody\n\n";
    check_refused(tool{run_script(path, "true", {"--auth-file", file})}, 120, "no identity");
    std::ofstream{file} << "digest\nsecret-word\n";
    tool wrong{run_script(path, "true", {"--auth-file", file})};
    CHECK(wrong.exit_code() == 120);
    CHECK_FALSE(wrong.says("secret-word"));
    std::ofstream{file} << "digest alice:secret-word \n";
    tool blank{run_script(path, "true", {"--auth-file", file})};
    CHECK(blank.exit_code() == 120);
    CHECK(blank.says("line 1 of '" + file + "' ends with a blank"));
    CHECK_FALSE(blank.says("secret-word"));
    std::ofstream{file} << "digest  alice:secret-word\n";
    check_refused(tool{run_script(path, "true", {"--auth-file", file})}, 120,
                  "line 1 of '" + file + "' has two blanks behind the scheme");
    check_refused(tool{run_script(path, "true", {"--auth-file", folder.path().string()})}, 120,
                  "Is a directory");
    std::ofstream{file} << "\xef\xbb\xbf"
                        << "digest alice:secret-word\r\n";
    CHECK(tool{run_script(path, "true", {"--auth-file", file})}.exit_code() == 0);
}

TEST_CASE("help goes to the standard output, and the version does, by an option or a word") {
    const std::vector<std::pair<std::vector<std::string>, std::string>> all{
        {{"run", "--help"}, "Usage: turnstile run [OPTIONS] PATH -- COMMAND"},
        {{"help", "run"}, "Usage: turnstile run [OPTIONS] PATH -- COMMAND"},
        {{"--help"}, "Usage: turnstile [OPTIONS] COMMAND"},
        {{"help"}, "Usage: turnstile [OPTIONS] COMMAND"},
        {{"help"}, "the path's node has data of its own"},
        {{"manual"}, "the path's node has data of its own"}};
    for (const auto& [arguments, what] : all) {
        tool help{arguments};
        CHECK(help.exit_code() == 0);
        CHECK(help.output().find(what) != std::string::npos);
        CHECK(help.said().empty());
    }
    tool option{{"--version"}};
    tool word{{"version"}};
    CHECK(option.exit_code() == 0);
    CHECK(word.exit_code() == 0);
    CHECK(word.output() == option.output());
    CHECK(option.output().ends_with('\n'));
}
