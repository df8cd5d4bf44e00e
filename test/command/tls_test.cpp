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

#include <chrono>
#include <thread>

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

TEST_CASE("doctor knows the certificate of a server by its absolute name") {
    using Catch::Matchers::Contains;
    const certificates all;
    all.issue({.name = "absolute", .host = "after-0.turnstile.test"});
    zookeeper_server_options how;
    make_secure(how, all, "none", "absolute");
    const zookeeper_server server{how};
    tool doctor{{"doctor", "--tls-ca", all.file("ca"), "--connect-timeout", "20s"},
                {.servers = "after-0.turnstile.test.:" + std::to_string(server.secure_port()),
                 .before = with_slow_names()}};
    doctor.exit_code();
    CHECK_THAT(doctor.output(), Contains("has a tick of 200 ms") && !Contains("not trusted") &&
                                    !Contains("another name"));
}

TEST_CASE(
    "doctor waits for a server's first handshake by TLS, and blames no certificate for silence") {
    using Catch::Matchers::Contains;
    zookeeper_server server{[] {
        zookeeper_server_options how;
        make_secure(how, files(), "need");
        return how;
    }()};
    server.pause();
    auto options = good();
    options.insert(options.begin(), "doctor");
    SECTION("that it comes late") {
        tool doctor{options, {.servers = server.secure_address()}};
        // justified: that it waits for longer than without TLS is what this is about
        std::this_thread::sleep_for(std::chrono::seconds{3});
        CHECK(doctor.process().running());
        server.resume();
        CHECK(doctor.exit_code() != 2);
        CHECK_THAT(doctor.output(), !Contains("no answer"));
    }
    SECTION("that it never comes") {
        options.insert(options.end(), {"--connect-timeout", "1s"});
        tool doctor{options, {.servers = server.secure_address()}};
        CHECK(doctor.exit_code() == 2);
        CHECK_THAT(doctor.output(),
                   Contains("grants no session: no answer") && Contains("may still be starting"));
        CHECK_THAT(doctor.output(), !Contains("ssl.clientAuth"));
        server.resume();
    }
}

TEST_CASE("a lock is made for those with one certificate, and others are told who they are") {
    using Catch::Matchers::Contains;
    const auto path = fresh_path("tls");
    const auto as = [&](const std::string& who, const std::vector<std::string>& more) {
        std::vector<std::string> options{"--tls-ca",   files().file("ca"),
                                         "--tls-cert", files().file(who),
                                         "--tls-key",  files().file(who, ".key")};
        options.insert(options.end(), more.begin(), more.end());
        return tool{run_script(path, "echo done", options),
                    {.servers = closed_server().secure_address()}};
    };
    files().issue({.name = "billing", .subject = "/O=Example GmbH/OU=Billing/CN=billing"});
    const std::string owner = "x509:CN=billing,OU=Billing,O=Example GmbH:cdrwa";
    CHECK(as("billing", {"--acl", owner + ",world:anyone:r"}).exit_code() == 0);
    auto other = as("client", {});
    CHECK(other.exit_code() == 124);
    CHECK_THAT(other.said(), Contains("the session is x509 CN=client"));
    CHECK(as("billing", {"--acl", owner}).exit_code() == 0);
    for (const std::string form : {"/O=Example GmbH/CN=billing", "CN = billing, O = Example GmbH",
                                   "CN=billing, O=Example GmbH"}) {
        auto wrong = as("billing", {"--acl", "x509:" + form + ":cdrwa"});
        CHECK(wrong.exit_code() == 120);
        CHECK_THAT(wrong.said(), Contains(form) && Contains("-nameopt RFC2253"));
    }
}

TEST_CASE("an own certificate that has expired is told") {
    files().issue({.name = "old", .days = -1});
    tool late{run_script(fresh_path("tls"), "true",
                         {"--tls-ca", files().file("ca"), "--tls-cert", files().file("old"),
                          "--tls-key", files().file("old", ".key"), "--connect-timeout", "3s"}),
              {.servers = closed_server().secure_address()}};
    CHECK(late.exit_code() == 121);
    CHECK(late.says("our own certificate expired at "));
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

TEST_CASE(
    "a guard needs no right to a program's key, and hears of a certificate that was renewed") {
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
    tool one{
        run_script(path, "sleep 1000",
                   {"--tls-ca", files().file("ca"), "--tls-cert", certificate.string(), "--tls-key",
                    key.string(), "--timeout", "4s", "--guard", place.socket(), "-v"}),
        {.servers = closed_server().secure_address()}};
    await([&] { return one.says("registered with the guard"); });
    std::ofstream{certificate} << "none any more\n";
    // It is sent each ten timeouts. A shorter one would not outlast a busy machine, and no new
    // session comes by this certificate.
    await([&] { return one.says("it refuses: the guard cannot use its TLS"); },
          std::chrono::seconds{120});
}

TEST_CASE("doctor tells of a file with a certificate and its key that everybody can read") {
    const auto both = files().store("client");
    const std::vector<std::string> options{"--tls-ca", files().file("ca"), "--tls-cert", both};
    const auto text = "note everybody on this machine can read " + both;
    std::filesystem::permissions(both, std::filesystem::perms{0644});
    CHECK(diagnosed(options).find(text) != std::string::npos);
    auto apart = options;
    apart.insert(apart.end(), {"--tls-key", files().file("client", ".key")});
    CHECK(diagnosed(apart).find(text) == std::string::npos);
    std::filesystem::permissions(both, std::filesystem::perms{0600});
    CHECK(diagnosed(options).find(text) == std::string::npos);
}
