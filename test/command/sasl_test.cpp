// SPDX-License-Identifier: BSL-1.0
// The command with servers that ask for SASL.
#include "command/support/findings.hpp"
#include "command/support/tool.hpp"
#include "support/jaas.hpp"
#include "support/kdc.hpp"
#include "support/pch.hpp"
#include "support/temp_folder.hpp"

#include <fstream>

using namespace turnstile::test;
using Catch::Matchers::Contains;

namespace {

const temp_folder& sasl_files() {
    static const temp_folder folder{"turnstile-sasl-"};
    return folder;
}

/// A file for --auth-file.
std::string with_line(const std::string& line) {
    static int made = 0;
    const auto file = sasl_files().path() / ("auth-" + std::to_string(++made));
    std::ofstream{file} << line << '\n';
    return file.string();
}

/// Knows alice, and demands SASL.
zookeeper_server& demanding_server() {
    static zookeeper_server server{[] {
        zookeeper_server_options how;
        how.config_lines = {"sessionRequireClientSASLAuth=true"};
        know_users(how, sasl_files().path(), "user_alice=\"wonder\"");
        return how;
    }()};
    return server;
}

tool run_with(std::vector<std::string> options) {
    options.insert(options.end(), {"--connect-timeout", "5s"});
    return tool{run_script(fresh_path("sasl"), "echo done", std::move(options)),
                {.servers = demanding_server().address()}};
}

std::string doctor_says(const std::vector<std::string>& options) {
    return findings_of(demanding_server().address(), options);
}

} // namespace

TEST_CASE("a command proves itself by a line of --auth-file") {
    auto by_line = run_with({"--auth-file", with_line("sasl alice:wonder")});
    CHECK(by_line.exit_code() == 0);
    CHECK(by_line.output() == "done\n");
    auto by_option =
        run_with({"--sasl", "digest", "--auth-file", with_line("digest a:b\nsasl alice:wonder")});
    CHECK(by_option.exit_code() == 0);
    tool by_environment{
        run_script(fresh_path("sasl"), "true", {"--auth-file", with_line("sasl alice:wonder")}),
        {.servers = demanding_server().address(), .before = {"env", "TURNSTILE_SASL=digest"}}};
    CHECK(by_environment.exit_code() == 0);
}

TEST_CASE("what cannot prove anything is refused, and shows no secret") {
    const auto refused = [](std::vector<std::string> options, const std::string& words) {
        auto run = run_with(std::move(options));
        CHECK(run.exit_code() == 120);
        CHECK_THAT(run.said(), Contains(words) && !Contains("wonder"));
    };
    refused({"--sasl", "digest"}, "sasl alice:secret");
    refused({"--sasl", "digest", "--auth-file", with_line("digest a:wonder")}, "sasl alice:secret");
    refused({"--auth-file", with_line("sasl a:wonder\nsasl b:wonder")}, "several users");
    refused({"--auth-file", with_line("sasl wonder")}, "sasl alice:secret");
    refused({"--sasl", "digest", "--sasl-host", "h", "--auth-file", with_line("sasl a:wonder")},
            "--sasl gssapi");
    refused({"--sasl", "gssapi", "--auth-file", with_line("sasl a:wonder")}, "a line sasl");
    refused({"--sasl-host", "h", "--auth-file", with_line("sasl a:wonder")}, "a line sasl");
    refused({"--sasl", "plain"}, "--sasl");
    refused({"--sasl-keytab", "/no/such.keytab"}, "/no/such.keytab");
}

TEST_CASE("what a server refuses in SASL is told") {
    auto wrong = run_with({"--auth-file", with_line("sasl alice:wander")});
    CHECK(wrong.exit_code() == 124);
    CHECK_THAT(wrong.said(), Contains("the server refused user") && !Contains("wander"));
    auto without = run_with({});
    CHECK(without.exit_code() == 124);
    CHECK(without.says("sessionRequireClientSASLAuth"));
}

TEST_CASE("doctor says that a server demands SASL, and how it is given") {
    CHECK_THAT(doctor_says({}), Contains("error demands SASL") && Contains("sasl alice:secret") &&
                                    Contains("--sasl gssapi"));
    CHECK_THAT(doctor_says({"--auth-file", with_line("sasl alice:wander")}),
               Contains("error refuses our identity: the server refused user \"alice\" in SASL"));
    CHECK_THAT(doctor_says({"--auth-file", with_line("sasl alice:wonder")}),
               Contains("ok has a tick of 200 ms") && !Contains("identity"));
}

TEST_CASE("a command proves itself by Kerberos") {
    if (!kdc::is_installed()) {
        WARN("skipped: Debian's krb5-kdc, krb5-admin-server and krb5-user are not all installed");
        return;
    }
    kdc realm;
    const temp_folder folder{"turnstile-jaas-"};
    zookeeper_server_options how;
    how.config_lines = {"sessionRequireClientSASLAuth=true"};
    how.system_properties = {"java.security.krb5.conf=" + realm.configuration()};
    know_realm(how, folder.path(), realm.keytab("zookeeper/localhost"),
               "zookeeper/localhost@" + kdc::realm());
    zookeeper_server server{how};
    const auto keytab = realm.keytab("carol");
    const auto cache = realm.ticket_cache(keytab, "carol");
    const auto code_of = [&](std::vector<std::string> options, std::vector<std::string> before) {
        options.insert(options.end(), {"--connect-timeout", "5s"});
        return tool{run_script(fresh_path("sasl"), "true", std::move(options)),
                    {.servers = server.address(), .before = std::move(before)}}
            .exit_code();
    };
    CHECK(code_of({"--sasl-keytab", keytab, "--sasl-host", "localhost"}, {}) == 0);
    CHECK(code_of({}, {"env", "TURNSTILE_SASL=gssapi", "TURNSTILE_SASL_HOST=localhost",
                       "KRB5CCNAME=" + cache}) == 0);
    CHECK(code_of({"--sasl", "gssapi", "--sasl-host", "localhost"},
                  {"env", "KRB5CCNAME=/no/such.cache"}) == 121);
}
