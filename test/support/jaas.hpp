// SPDX-License-Identifier: BSL-1.0
// Servers with SASL: options for a zookeeper_server, and the JAAS file (Java's file of ways to log
// in) that they name. The file is made in `folder`, which must outlive the server.
#pragma once

#include "zookeeper_server.hpp"

#include <fstream>
#include <string>

namespace turnstile::test {

/// Adds SASL. `lines` is the login module of the section "Server", without its last semicolon.
inline void use_jaas(zookeeper_server_options& server, const std::filesystem::path& folder,
                     const std::string& lines) {
    const auto file = folder / "jaas.conf";
    std::ofstream{file} << "Server {\n" << lines << ";\n};\n";
    server.config_lines.emplace_back(
        "authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider");
    server.system_properties.push_back("java.security.auth.login.config=" + file.string());
}

/// Adds SASL by DIGEST-MD5. `users` has entries user_NAME="PASSWORD", separated by blanks.
inline void know_users(zookeeper_server_options& server, const std::filesystem::path& folder,
                       const std::string& users) {
    use_jaas(server, folder,
             "org.apache.zookeeper.server.auth.DigestLoginModule required\n" + users);
}

/// Adds SASL by Kerberos. The server is that principal, whose key is in the keytab.
inline void know_realm(zookeeper_server_options& server, const std::filesystem::path& folder,
                       const std::string& keytab, const std::string& principal) {
    use_jaas(server, folder,
             "com.sun.security.auth.module.Krb5LoginModule required\n"
             "useKeyTab=true storeKey=true useTicketCache=false\nkeyTab=\"" +
                 keytab + "\"\nprincipal=\"" + principal + '"');
}

} // namespace turnstile::test
