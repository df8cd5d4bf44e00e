// SPDX-License-Identifier: BSL-1.0
#include "options/sasl_option.hpp"

#include "command_failure.hpp"
#include "options/regular_file.hpp"
#include "options/text_option.hpp"

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

namespace turnstile::command {

namespace {

command_failure bad_usage(const std::string& what) { return {exit_code::bad_usage, what}; }

// The user and the password in the one line `sasl`.
sasl_digest_md5 user_of(const std::vector<identity>& lines) {
    if (lines.size() != 1)
        throw bad_usage((lines.empty() ? "--sasl digest, or TURNSTILE_SASL, needs a user and a "
                                         "password\n"
                                       : "there are several users for --sasl digest\n") +
                        std::string("Write one line into the file of --auth-file, such as: "
                                    "sasl alice:secret"));
    const auto& text = lines.front().secret;
    const auto colon = text.find(':');
    if (colon == 0 || colon == std::string::npos)
        throw bad_usage("the line sasl in the file of --auth-file has no user and password\n"
                        "Write it as: sasl alice:secret");
    return {text.substr(0, colon), text.substr(colon + 1)};
}

} // namespace

void sasl_option::add_to(CLI::App& app, const char* group) {
    app.add_option("--sasl", mechanism,
                   "Prove who we are: `digest` by a line such as sasl alice:secret\n"
                   "in the file of --auth-file, `gssapi` by Kerberos. Or TURNSTILE_SASL")
        ->envname("TURNSTILE_SASL")
        ->check(CLI::IsMember({"digest", "gssapi"}))
        ->type_name("HOW")
        ->group(group);
    const auto add = [&](const char* option, std::string& to, const char* variable,
                         const char* type, const std::string& text) {
        add_text_option(app, group, option, to, variable, type, text);
    };
    add("--sasl-principal", principal, "TURNSTILE_SASL_PRINCIPAL", "NAME",
        "Our name in Kerberos, where it is not the only one in keytab or\nticket cache");
    add("--sasl-keytab", keytab, "TURNSTILE_SASL_KEYTAB", "FILE",
        "A keytab with our key, in place of the tickets that kinit got");
    add("--sasl-service", service, "TURNSTILE_SASL_SERVICE", "NAME",
        "The servers' service in Kerberos, where it is not zookeeper");
    add("--sasl-host", host, "TURNSTILE_SASL_HOST", "NAME",
        "The servers' host in Kerberos, where it is not the one in the\nlist of servers");
}

std::optional<sasl_options> sasl_option::chosen(std::vector<identity>& identities) const {
    std::vector<identity> lines;
    std::vector<identity> others;
    for (auto& each : identities)
        (each.scheme == "sasl" ? lines : others).push_back(each);
    identities = std::move(others);
    const bool kerberos =
        !principal.empty() || !keytab.empty() || !service.empty() || !host.empty();
    if (mechanism == "digest" && kerberos)
        throw bad_usage("--sasl digest has no principal, keytab, service or host\n"
                        "They are for --sasl gssapi, as are TURNSTILE_SASL_PRINCIPAL, _KEYTAB, "
                        "_SERVICE and _HOST.");
    if (mechanism == "gssapi" || (mechanism.empty() && kerberos)) {
        if (!lines.empty())
            throw bad_usage(
                "Kerberos is chosen, and the file of --auth-file has a line sasl, which "
                "is for --sasl digest\n"
                "Take that line away, or the settings of Kerberos: --sasl gssapi, "
                "--sasl-principal, --sasl-keytab, --sasl-service, --sasl-host, and "
                "their variables.");
        check_regular("--sasl-keytab", keytab);
        sasl_gssapi result{.principal = principal, .host = host, .keytab = keytab};
        if (!service.empty())
            result.service = service;
        return result;
    }
    if (mechanism.empty() && lines.empty())
        return std::nullopt;
    return user_of(lines);
}

} // namespace turnstile::command
