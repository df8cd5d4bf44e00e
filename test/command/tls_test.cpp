// SPDX-License-Identifier: BSL-1.0
// The command with servers that speak TLS.
#include "command/support/findings.hpp"
#include "command/support/guarded.hpp"
#include "command/support/tool.hpp"
#include "support/certificates.hpp"
#include "support/pch.hpp"

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
    auto blocks = run_by(closed_server().secure_address(), {"--tls-key", "/dev/zero"});
    CHECK(blocks.exit_code() == 120);
    CHECK(blocks.says("--tls-key '/dev/zero' is no regular file"));
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
    const guard_place place;
    running_guard guard{place};
    const auto path = fresh_path("tls");
    auto options = good();
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
