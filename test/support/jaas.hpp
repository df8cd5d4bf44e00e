// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "zookeeper_server.hpp"

#include <fstream>
#include <string>

namespace turnstile::test {

inline void use_jaas(zookeeper_server_options& server, const std::filesystem::path& folder,
                     const std::string& lines) {
    const auto file = folder / "jaas.conf";
    std::ofstream{file} << "Server {\n" << lines << ";\n};\n";
    server.config_lines.emplace_back(
        "authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider");
    server.system_properties.push_back("java.security.auth.login.config=" + file.string());
}

/// Adds SASL by DIGEST-MD5, as a JAAS file of that name with these lines says:
/// user_NAME="PASSWORD". The file lies in the folder, which must outlive the server.
inline void know_users(zookeeper_server_options& server, const std::filesystem::path& folder,
                       const std::string& users) {
    use_jaas(server, folder,
             "org.apache.zookeeper.server.auth.DigestLoginModule required\n" + users);
}

/// Adds SASL by Kerberos, with the key of that principal.
inline void know_realm(zookeeper_server_options& server, const std::filesystem::path& folder,
                       const std::string& keytab, const std::string& principal) {
    use_jaas(server, folder,
             "com.sun.security.auth.module.Krb5LoginModule required\n"
             "useKeyTab=true storeKey=true useTicketCache=false\nkeyTab=\"" +
                 keytab + "\"\nprincipal=\"" + principal + '"');
}

} // namespace turnstile::test
