// SPDX-License-Identifier: BSL-1.0
// The command with servers that speak TLS.
#include "command/support/findings.hpp"
#include "command/support/guarded.hpp"
#include "command/support/tool.hpp"
#include "support/certificates.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace turnstile::test;

namespace {

const certificates& files() {
    static const certificates all;
    return all;
}

/// A server that asks for a certificate.
zookeeper_server& closed_server() {
    static zookeeper_server server{[] {
        zookeeper_server_options how;
        make_secure(how, files(), "need");
        how.max_session_timeout_ms = 40'000; // where a test must not wait for the timeout
        return how;
    }()};
    return server;
}

const std::vector<std::string>& good() {
    static const std::vector<std::string> options{"--tls-ca",   files().file("ca"),
                                                  "--tls-cert", files().file("client"),
                                                  "--tls-key",  files().file("client", ".key")};
    return options;
}

tool run_by(const std::string& servers, std::vector<std::string> options) {
    return tool{run_script(fresh_path("tls"), "echo done", std::move(options)),
                {.servers = servers}};
}

std::string diagnosed(const std::vector<std::string>& options) {
    return findings_of(closed_server().secure_address(), options);
}

} // namespace

TEST_CASE("a command runs under a lock by TLS, with a certificate of its own") {
    auto by_options = run_by(closed_server().secure_address(), good());
    CHECK(by_options.exit_code() == 0);
    CHECK(by_options.output() == "done\n");
    tool by_environment{run_script(fresh_path("tls"), "echo done"),
                        {.servers = closed_server().secure_address(),
                         .before = {"env", "TURNSTILE_TLS_CA=" + files().file("ca"),
                                    "TURNSTILE_TLS_CERT=" + files().file("client"),
                                    "TURNSTILE_TLS_KEY=" + files().file("client", ".key")}}};
    CHECK(by_environment.exit_code() == 0);
}

TEST_CASE("what TLS refuses is told, and which option to look at") {
    auto stranger = run_by(closed_server().secure_address(),
                           {"--tls-ca", files().file("other"), "--connect-timeout", "2s"});
    CHECK(stranger.exit_code() == 121);
    CHECK(stranger.says("its certificate is not trusted"));
    auto missing = run_by(closed_server().secure_address(), {"--tls-ca", "/no/such.pem"});
    CHECK(missing.exit_code() == 120);
    CHECK(missing.says("/no/such.pem"));
    CHECK(missing.says("--tls-ca"));
    auto plain = run_by(closed_server().address(), {"--tls", "--connect-timeout", "2s"});
    CHECK(plain.exit_code() == 121);
    CHECK(plain.says("this port may be one without TLS"));
}

TEST_CASE("doctor looks at a server by TLS, and says what its TLS wants") {
    using Catch::Matchers::Contains;
    const auto well = diagnosed(good());
    CHECK_THAT(well, Contains("ok has a tick of 200 ms"));
    CHECK_THAT(well, Contains("warning speaks TLSv1") && Contains("1 day left"));
    CHECK_THAT(diagnosed({"--connect-timeout", "2s"}), Contains("give --tls"));
    const auto bare = diagnosed({"--tls-ca", files().file("ca"), "--connect-timeout", "2s"});
    CHECK_THAT(bare, Contains("may want a certificate") && Contains("ssl.clientAuth"));
}

TEST_CASE("the session of a process that dies is ended by TLS, too") {
    const bool in_folder = GENERATE(false, true); // the authorities
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("tls");
    auto options = good();
    const temp_folder authorities{"turnstile-authorities-"};
    if (in_folder) {
        std::filesystem::copy_file(files().file("ca"), authorities.path() / "ca.pem");
        child_process rehash{{.argv = {"openssl", "rehash", authorities.path().string()}}};
        REQUIRE(rehash.wait_for_end(std::chrono::seconds{20}));
        options[1] = authorities.path().string();
    }
    options.insert(options.end(), {"--timeout", "30s", "--guard", place.socket(), "-v"});
    tool one{run_script(path, "echo pid $$; echo guard $PPID; sleep 1000", options),
             {.servers = closed_server().secure_address()}};
    const auto program = one.number_after("pid ");
    const auto guardian = one.number_after("guard ");
    await([&] { return one.says("registered with the guard"); });
    const bool by_guard = GENERATE(true, false);
    if (by_guard) // as a container is killed
        for (const pid_t each : {program, guardian})
            ::kill(each, SIGKILL);
    one.process().kill_and_wait();
    tool next{run_script(path, "echo mine", options),
              {.servers = closed_server().secure_address()}};
    await([&] { return next.output() == "mine\n"; }, at_once);
}

TEST_CASE("a guard needs no right to a program's key, and hears of a certificate that was renewed") {
    const guard_place place;
    const auto folder = std::filesystem::path(place.socket()).parent_path();
    std::vector<std::string> before;
    if (::geteuid() == 0) { // only root can be another user
        REQUIRE(::chown(folder.c_str(), 65'534, 65'534) == 0);
        const auto command = folder / "turnstile"; // where such a user may go
        std::filesystem::copy_file(TURNSTILE_COMMAND, command);
        before = {"sh", "-c", "shift; exec setpriv --reuid 65534 --clear-groups \"$0\" \"$@\"",
                  command.string()};
    }
    running_guard guard{place, {"--mode", "0666"}, {.before = before}};
    const auto certificate = folder / "client.pem";
    const auto key = folder / "client.key";
    std::filesystem::copy_file(files().file("client"), certificate);
    std::filesystem::copy_file(files().file("client", ".key"), key);
    std::filesystem::permissions(key, std::filesystem::perms(0600));
    const auto path = fresh_path("tls");
    tool one{run_script(path, "sleep 1000",
                        {"--tls-ca", files().file("ca"), "--tls-cert", certificate.string(),
                         "--tls-key", key.string(), "--timeout", "1s", "--guard", place.socket(),
                         "-v"}),
             {.servers = closed_server().secure_address()}};
    await([&] { return one.says("registered with the guard"); });
    std::ofstream{certificate} << "none any more\n";
    await([&] { return one.says("it refuses: the guard cannot use its TLS"); });
}
