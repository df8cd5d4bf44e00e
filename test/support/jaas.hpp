// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "zookeeper_server.hpp"

#include <string>

namespace turnstile::test {

/// Adds SASL by DIGEST-MD5, as a JAAS file of that name with these lines says:
/// user_NAME="PASSWORD". The file lies in the folder, which must outlive the server.
void know_users(zookeeper_server_options& server, const std::filesystem::path& folder,
                const std::string& users);

/// Adds SASL by Kerberos, with the key of that principal.
void know_realm(zookeeper_server_options& server, const std::filesystem::path& folder,
                const std::string& keytab, const std::string& principal);

} // namespace turnstile::test
