// SPDX-License-Identifier: BSL-1.0
// What tests of SASL by password share: servers with users, and how a session meets them.
#pragma once

#include "cancel_support.hpp"
#include "fault_rig.hpp"
#include "fixture.hpp"
#include "tls_support.hpp"

#include "support/jaas.hpp"
#include "support/temp_folder.hpp"

namespace turnstile::test {

/// Knows alice and bob. In the folder it keeps what it needs.
inline zookeeper_server_options knowing_users(const std::vector<std::string>& config_lines = {}) {
    static const temp_folder folder{"turnstile-jaas-"};
    zookeeper_server_options how;
    how.config_lines = config_lines;
    know_users(how, folder.path(), "user_alice=\"wonder\"\nuser_bob=\"builder\"");
    return how;
}

/// SASL is there for whoever wants it.
inline zookeeper_server& shared_sasl_server() {
    static zookeeper_server server{knowing_users()};
    return server;
}

inline session_options sasl_session(const sasl_options& who,
                                    const std::string& servers = shared_sasl_server().address()) {
    auto options = impatient(servers);
    options.sasl = who;
    return options;
}

inline sasl_digest_md5 sasl_alice() { return {"alice", "wonder"}; }
inline sasl_digest_md5 sasl_bob() { return {"bob", "builder"}; }

} // namespace turnstile::test
