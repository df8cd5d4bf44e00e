// SPDX-License-Identifier: BSL-1.0
#include "options/tls_option.hpp"

#include "command_failure.hpp"
#include "options/regular_file.hpp"
#include "options/text_option.hpp"

#include <CLI/App.hpp>
#include <boost/system/system_error.hpp>

#include <filesystem>

namespace turnstile::command {

void tls_option::add_to(CLI::App& app, const char* group) {
    app.add_flag("--tls", wanted,
                 "Speak TLS with the servers. The system's authorities are trusted.\n"
                 "TURNSTILE_TLS=1 in the environment says the same, as do these:")
        ->envname("TURNSTILE_TLS")
        ->group(group);
    const auto add = [&](const char* option, std::string& to, const char* variable,
                         const char* type, const std::string& text) {
        add_text_option(app, group, option, to, variable, type, text);
    };
    add("--tls-ca", authorities, "TURNSTILE_TLS_CA", "FILE",
        "PEM: the authorities to trust instead. A folder, too");
    add("--tls-cert", certificate, "TURNSTILE_TLS_CERT", "FILE",
        "PEM: the certificate to show to servers that ask for one");
    add("--tls-key", key, "TURNSTILE_TLS_KEY", "FILE",
        "PEM: its key, where the certificate's file does not have it");
    add("--tls-name", name, "TURNSTILE_TLS_NAME", "NAME",
        "The name in the servers' certificates, where it is not the\none in the list of servers");
}

std::optional<tls_options> tls_option::chosen() const {
    if (!wanted && authorities.empty() && certificate.empty() && key.empty() && name.empty())
        return std::nullopt;
    std::error_code failed; // a folder that may not be searched: check_regular() tells
    const bool is_folder = std::filesystem::is_directory(authorities, failed);
    if (!is_folder)
        check_regular("--tls-ca", authorities);
    check_regular("--tls-cert", certificate);
    check_regular("--tls-key", key);
    tls_options result{.certificate_file = certificate, .key_file = key, .server_name = name};
    (is_folder ? result.authorities_folder : result.authorities_file) = authorities;
    try {
        make_context(result);
    } catch (const boost::system::system_error& e) {
        const std::string text = e.what(); // its end is the message of the code, which is cut off
        throw command_failure(
            exit_code::bad_usage,
            text.substr(0, text.find(": " + e.code().message())) +
                "\nThe options --tls-ca, --tls-cert and --tls-key name files, as do "
                "TURNSTILE_TLS_CA, TURNSTILE_TLS_CERT and TURNSTILE_TLS_KEY.");
    }
    return result;
}

} // namespace turnstile::command
